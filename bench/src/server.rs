//! [`Server`]: a Redis or NATS server of a measurement, with its defaults, on a free port of this machine.

use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::backend::Backend;
use crate::child::Child;
use crate::failure::Failure;
use crate::guard::Order;
use crate::role::Role;

const STARTED_WITHIN: Duration = Duration::from_secs(20);

#[derive(Debug)]
pub(crate) struct Server {
    guard: Child,
    backend: Backend,
    port: u16,
}

impl Server {
    pub(crate) fn start(backend: Backend) -> Result<Self, Failure> {
        let port = free_port()?;
        let guard = Child::start(&Role::Guard { program: backend.program(), args: backend.args(port) })?;
        let mut server = Self { guard, backend, port };
        server.start_again()?;
        Ok(server)
    }

    pub(crate) fn url(&self) -> String {
        format!("{}://127.0.0.1:{}", self.backend.name(), self.port)
    }

    pub(crate) fn kill(&mut self) -> Result<(), Failure> {
        self.guard.ask(Order::Kill)
    }

    /// On the same port; returns when it takes connections.
    pub(crate) fn start_again(&mut self) -> Result<(), Failure> {
        self.guard.ask::<()>(Order::Start)?;
        let begin = Instant::now();
        while TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).is_err() {
            if begin.elapsed() > STARTED_WITHIN {
                return Err(format!("`{}` does not listen", self.backend.program()).into());
            }
            sleep(Duration::from_millis(5));
        }
        Ok(())
    }

    pub(crate) fn freeze(&mut self) -> Result<(), Failure> {
        self.guard.ask(Order::Freeze)
    }

    pub(crate) fn thaw(&mut self) -> Result<(), Failure> {
        self.guard.ask(Order::Thaw)
    }
}

/// Below the ports that systems give to outgoing connections, one of which could take it while the server is down.
fn free_port() -> Result<u16, Failure> {
    let is_free = |port: &u16| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok();
    let mut candidates = std::iter::repeat_with(|| fastrand::u16(10_000..32_000)).take(1000);
    Ok(candidates.find(is_free).ok_or("no port is free")?)
}
