//! [`Backend`]: what the suite has to know of a transport and its server.

use std::future::Future;
use std::time::Duration;

use oyez_bus::transport::{Transport, TransportError};

use crate::proxy::Proxy;

/// After this time without an answer a transport of the suite takes its connection for dead (promise T6).
pub const SILENCE: Duration = Duration::from_secs(1);

/// A server of one test, and how nodes get to it. Dropping it ends the server.
pub trait Backend: Sized + Send + Sync + 'static {
    /// The transport that is tested.
    type Transport: Transport;
    /// What lies between one node and the server.
    type Wire: Wire;

    /// Starts a server of its own on a free port, and returns when it takes connections.
    fn start() -> impl Future<Output = Self> + Send;

    /// Connects one more node to the server, by a wire of its own, with the bound [`SILENCE`].
    ///
    /// # Errors
    /// What the transport says.
    fn connect(
        &self,
        prefix: &str,
    ) -> impl Future<Output = Result<(Self::Transport, Self::Wire), TransportError>> + Send;

    /// Where the server is, for a node in another process; `None` if it cannot be reached from there.
    fn address(&self) -> Option<String>;

    /// Connects a node that is in another process than the server's owner.
    ///
    /// # Errors
    /// What the transport says.
    fn connect_to(address: &str, prefix: &str) -> impl Future<Output = Result<Self::Transport, TransportError>> + Send;

    /// Ends the server as `kill -9` does.
    fn kill(&mut self);

    /// Starts it again where it was, and returns when it takes connections.
    fn restart(&mut self) -> impl Future<Output = ()> + Send;

    /// Stops the server's process: its sockets stay open, and nothing answers.
    fn freeze(&mut self);

    /// Lets it go on.
    fn thaw(&mut self);

    /// Publishes bytes as some other program would that knows the prefix, for an event called `name`.
    fn publish(&self, prefix: &str, name: &str, payload: &[u8]) -> impl Future<Output = ()> + Send;

    /// How many subscriptions to the prefix the server has.
    fn subscriptions(&self, prefix: &str) -> impl Future<Output = usize> + Send;
}

/// The way between one node and its server.
pub trait Wire: Send + Sync + 'static {
    /// From now on nothing passes, and nobody is told.
    fn blackhole(&self);

    /// New connections work again; the old ones stay lost.
    fn heal(&self);

    /// Closes the node's connections; it may make new ones.
    fn cut(&self);

    /// How many connections the node has.
    fn connections(&self) -> usize;
}

impl Wire for Proxy {
    fn blackhole(&self) {
        Self::blackhole(self);
    }

    fn heal(&self) {
        Self::heal(self);
    }

    fn cut(&self) {
        Self::cut(self);
    }

    fn connections(&self) -> usize {
        Self::connections(self)
    }
}
