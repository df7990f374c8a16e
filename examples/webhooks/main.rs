//! Reads deliveries of GitHub's webhooks, emits each as an event, and tells what the subscribers made of them.
//!
//! ```text
//! cargo run --release --example webhooks -- --help
//! ```
//!
//! Where to begin: `events.rs` has the typed events, `subscribers/` a file for each way to listen, `delivery.rs` turns a
//! line into an emit, `others.rs` reaches other processes, `meter.rs` and `panics.rs` are layers. `cli/` is the rest of a command-line program.

#![expect(unreachable_pub, reason = "in a program, `pub` is what a module shows to the others")]

mod cli;
mod delivery;
mod events;
mod feed;
mod meter;
mod others;
mod panics;
mod subscribers;

use std::error::Error;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use oyez::EventBus;

use crate::cli::{Args, Command, Report, Stop, Terminal};
use crate::feed::Feed;
use crate::meter::Meter;
use crate::subscribers::Subscribers;

/// How long queued handlers may take after the last delivery.
const DEADLINE: Duration = Duration::from_secs(5);

#[tokio::main]
async fn main() -> ExitCode {
    match run().await {
        Ok(code) => code,
        Err(error) => {
            cli::complain(&*error);
            ExitCode::from(2)
        }
    }
}

async fn run() -> Result<ExitCode, Box<dyn Error>> {
    let args = match Args::parse(std::env::args_os().skip(1))? {
        Command::Help => {
            cli::print(cli::HELP)?;
            return Ok(ExitCode::SUCCESS);
        }
        Command::Run(args) => args,
    };
    let lines = cli::open(&args.input)?;
    let terminal = Terminal::new();
    cli::init_log(&terminal);
    let stop = Stop::on_ctrl_c(&terminal);

    // The handlers emit through `oyez::emit`, which goes to the global bus.
    let bus = EventBus::global();
    let meter = Meter::around_all(&bus)?;
    panics::keep_quiet(&bus);
    let subscribers = Subscribers::subscribe(&bus)?;
    let links = others::attach(&bus, &args).await?;

    let started = Instant::now();
    let mut feed = Feed::new(bus.clone(), links.clone(), terminal.clone(), stop);
    feed.run(lines, args.repeat).await;
    // No more emits from here on; what waits in queues is finished, and what waits to be sent is sent, or counted as cut.
    let shutdown = bus.shutdown(DEADLINE).await;
    terminal.clear();

    let took = started.elapsed();
    cli::print(Report {
        feed: &feed,
        meter: &meter,
        subscribers: &subscribers,
        links: &links,
        listeners: bus.listeners(),
        shutdown,
        took,
    })?;
    Ok(feed.exit_code(args.strict))
}
