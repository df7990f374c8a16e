//! Events between processes: start this program once to listen and once more to emit, on the same server.
//!
//! ```text
//! cargo run --example broadcast --features redis,nats -- listen redis://127.0.0.1/
//! cargo run --example broadcast --features redis,nats -- emit redis://127.0.0.1/
//! ```
//!
//! Where to begin: `connect.rs` joins a bus to a server; `listen.rs` and `emit.rs` are the two ends; `news.rs` tells what
//! happens to the link. Without arguments, `demo.rs` has both ends in one process, without a server.

#![expect(unreachable_pub, reason = "in a program, `pub` is what a module shows to the others")]

mod args;
mod connect;
mod demo;
mod emit;
mod listen;
mod news;
mod output;
mod stop;

use std::error::Error;
use std::process::ExitCode;

use crate::args::{Command, HELP};
use crate::output::{complain, say};
use crate::stop::Stop;

#[tokio::main]
async fn main() -> ExitCode {
    let command = match Command::parse(std::env::args().skip(1)) {
        Ok(command) => command,
        Err(misuse) => {
            complain(&misuse);
            return ExitCode::from(2);
        }
    };
    match run(command).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&*error);
            ExitCode::FAILURE
        }
    }
}

async fn run(command: Command) -> Result<(), Box<dyn Error>> {
    match command {
        Command::Help => say(HELP.trim_end()),
        Command::Demo => demo::run().await?,
        Command::Listen(place) => listen::run(&place, Stop::on_ctrl_c()).await?,
        Command::Emit(place, pace) => emit::run(&place, pace, Stop::on_ctrl_c()).await?,
    }
    Ok(())
}
