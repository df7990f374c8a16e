//! [`Proxy`]: a stretch of network between one node and its server, which a test can break.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// Forwards TCP connections to one address, until it is told not to. Dropping it ends them all.
#[derive(Debug)]
pub struct Proxy {
    port: u16,
    road: Arc<Road>,
    accepting: JoinHandle<()>,
}

#[derive(Debug)]
struct Road {
    to: SocketAddr,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    blackholed: bool,
    connections: Vec<watch::Sender<Fate>>,
}

/// What becomes of a connection's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// They are forwarded.
    Forwarded,
    /// They vanish, in both directions, and neither end learns of it.
    Swallowed,
    /// The connection is closed.
    Cut,
}

impl Proxy {
    /// A proxy to a port of the loopback interface.
    ///
    /// # Panics
    /// There is no free port.
    pub async fn start(to: u16) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a free port");
        let port = listener.local_addr().expect("the address of a listener").port();
        let to = SocketAddr::from((Ipv4Addr::LOCALHOST, to));
        let road = Arc::new(Road { to, state: Mutex::default() });
        let accepting = tokio::spawn(accept(listener, Arc::clone(&road)));
        Self { port, road, accepting }
    }

    /// Where nodes connect to.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// From now on nothing passes, in either direction, and nobody is told: no FIN, no RST. New connections are taken, and
    /// nothing passes there either.
    pub fn blackhole(&self) {
        let mut state = self.road.lock();
        state.blackholed = true;
        state.give_all(Fate::Swallowed);
    }

    /// New connections work again; those that were swallowed stay so.
    pub fn heal(&self) {
        self.road.lock().blackholed = false;
    }

    /// Closes the connections there are. New ones work.
    pub fn cut(&self) {
        self.road.lock().give_all(Fate::Cut);
    }

    /// How many connections pass.
    #[must_use]
    pub fn connections(&self) -> usize {
        let state = self.road.lock();
        state.connections.iter().filter(|fate| !fate.is_closed() && *fate.borrow() == Fate::Forwarded).count()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.accepting.abort();
        self.cut();
    }
}

impl Road {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn give_all(&mut self, fate: Fate) {
        self.connections.retain(|connection| connection.send(fate).is_ok());
    }
}

async fn accept(listener: TcpListener, road: Arc<Road>) {
    while let Ok((node, _)) = listener.accept().await {
        let fate = {
            let mut state = road.lock();
            let (given, fate) = watch::channel(if state.blackholed { Fate::Swallowed } else { Fate::Forwarded });
            state.connections.push(given);
            fate
        };
        tokio::spawn(forward(node, road.to, fate));
    }
}

async fn forward(node: TcpStream, to: SocketAddr, mut fate: watch::Receiver<Fate>) {
    if *fate.borrow() == Fate::Swallowed {
        // The socket is held and not read: the node's handshake gets no answer.
        _ = fate.wait_for(|fate| *fate == Fate::Cut).await;
        return;
    }
    let Ok(server) = TcpStream::connect(to).await else { return };
    _ = (node.set_nodelay(true), server.set_nodelay(true));
    let ((from_node, to_node), (from_server, to_server)) = (node.into_split(), server.into_split());
    // As soon as one direction ends, both sockets are closed, as far as their ends may know.
    tokio::select! {
        () = pump(from_node, to_server, fate.clone()) => {}
        () = pump(from_server, to_node, fate.clone()) => {}
    }
}

async fn pump(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, mut fate: watch::Receiver<Fate>) {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let read = tokio::select! {
            biased;
            _ = fate.wait_for(|fate| *fate != Fate::Forwarded) => break,
            read = from.read(&mut buffer) => read.unwrap_or(0),
        };
        if read == 0 || to.write_all(&buffer[..read]).await.is_err() {
            return;
        }
    }
    swallow(from, fate).await;
}

/// Reads on, so that the sender is not held up, and holds the socket when its other end is closed.
async fn swallow(mut from: OwnedReadHalf, mut fate: watch::Receiver<Fate>) {
    let reading = async {
        _ = tokio::io::copy(&mut from, &mut tokio::io::sink()).await;
        std::future::pending::<()>().await;
    };
    tokio::select! {
        _ = fate.wait_for(|fate| *fate == Fate::Cut) => {}
        () = reading => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A server that sends back what it gets, through a proxy.
    async fn echo() -> Proxy {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        tokio::spawn(async move {
            while let Ok((mut socket, _)) = listener.accept().await {
                tokio::spawn(async move {
                    let (mut from, mut to) = socket.split();
                    _ = tokio::io::copy(&mut from, &mut to).await;
                });
            }
        });
        Proxy::start(port).await
    }

    async fn connect(proxy: &Proxy) -> TcpStream {
        TcpStream::connect((Ipv4Addr::LOCALHOST, proxy.port())).await.unwrap()
    }

    async fn answers(socket: &mut TcpStream) -> bool {
        let mut answer = [0; 4];
        socket.write_all(b"ping").await.is_ok() && socket.read_exact(&mut answer).await.is_ok()
    }

    #[tokio::test]
    async fn what_is_swallowed_stays_so_and_new_connections_work_after_healing() {
        let proxy = echo().await;
        let mut old = connect(&proxy).await;
        assert!(answers(&mut old).await);
        assert_eq!(proxy.connections(), 1);
        proxy.blackhole();
        let mut during = connect(&proxy).await;
        while proxy.road.lock().connections.len() < 2 {
            tokio::task::yield_now().await;
        }
        proxy.heal();
        let mut new = connect(&proxy).await;
        let mut silent = Box::pin(async { tokio::join!(answers(&mut old), answers(&mut during)) });
        tokio::select! {
            biased;
            answered = &mut silent => panic!("answered or closed: {answered:?}"),
            answered = answers(&mut new) => assert!(answered),
        }
        drop(silent);
        assert_eq!(proxy.connections(), 1);
    }

    #[tokio::test]
    async fn a_cut_closes_what_there_is() {
        let proxy = echo().await;
        let mut socket = connect(&proxy).await;
        assert!(answers(&mut socket).await);
        proxy.cut();
        assert!(!answers(&mut socket).await);
        assert!(answers(&mut connect(&proxy).await).await);
    }
}
