//! The role that holds a server: it is killed when nobody is there any more to ask for it.

use std::process::{Child, Command, Stdio};

use serde::{Deserialize, Serialize};

use crate::child;
use crate::failure::Failure;

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) enum Order {
    Start,
    /// SIGKILL; answered when it is gone.
    Kill,
    /// SIGSTOP: its sockets stay open and nothing answers.
    Freeze,
    /// SIGCONT.
    Thaw,
}

pub(crate) fn run(program: &str, args: &[String]) -> Result<(), Failure> {
    let mut server = Guarded(None);
    child::serve(|order| match order {
        Order::Start => server.start(program, args),
        Order::Kill => server.kill(),
        Order::Freeze => server.signal("STOP"),
        Order::Thaw => server.signal("CONT"),
    })
}

struct Guarded(Option<Child>);

impl Guarded {
    fn start(&mut self, program: &str, args: &[String]) -> Result<(), Failure> {
        self.kill()?;
        let mut command = Command::new(program);
        command.args(args).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        self.0 = Some(command.spawn().map_err(|error| format!("`{program}` does not start ({error})"))?);
        Ok(())
    }

    fn kill(&mut self) -> Result<(), Failure> {
        if let Some(mut server) = self.0.take() {
            server.kill()?;
            server.wait()?;
        }
        Ok(())
    }

    fn signal(&self, signal: &str) -> Result<(), Failure> {
        let server = self.0.as_ref().ok_or("there is no server")?;
        // The shell's own `kill`: std sends SIGKILL only.
        let sent = Command::new("sh").args(["-c", &format!("kill -{signal} {}", server.id())]).status()?;
        if sent.success() { Ok(()) } else { Err(format!("SIG{signal} could not be sent").into()) }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        _ = self.kill();
    }
}
