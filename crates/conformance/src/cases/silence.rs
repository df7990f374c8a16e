//! T6: a connection that has gone silent is proved alive by an answer, or replaced.

use std::time::{Duration, Instant};

use oyez_bus::LinkState;

use crate::backend::{Backend, SILENCE, Wire};
use crate::node::Node;

/// For a busy machine, and still far less than the bound that transports have when nothing is said.
const SLACK: Duration = Duration::from_secs(4);

/// The server's process is stopped: its sockets stay open.
pub async fn t06_a_frozen_server_is_noticed<B: Backend>() {
    let mut server = B::start().await;
    let (mut here, mut there) = (Node::join(&server).await, Node::join(&server).await);
    let frozen = Instant::now();
    server.freeze();
    here.down().await;
    there.down().await;
    assert!(frozen.elapsed() < SILENCE + SLACK, "noticed after {:?}", frozen.elapsed());
    server.thaw();
    here.up().await;
    there.up().await;
    here.tick(1).await;
    assert_eq!(there.ticks_until(1).await, [1]);
}

/// While one node loses its connection three times for lack of answers, another one, on which nothing is sent, loses none.
pub async fn t06_an_idle_link_stays_up<B: Backend>() {
    let server = B::start().await;
    let (mut idle, mut clock) = (Node::join(&server).await, Node::join(&server).await);
    for _ in 0..3 {
        clock.wire.blackhole();
        clock.down().await;
        clock.wire.heal();
        clock.up().await;
    }
    assert_eq!(idle.told_by_now(), []);
    clock.tick(1).await;
    assert_eq!(idle.ticks_until(1).await, [1]);
}

/// An idle connection swallows everything in both directions, and its old sockets do so for ever.
pub async fn c16_a_connection_that_swallows_everything_is_noticed_and_replaced<B: Backend>() {
    let server = B::start().await;
    let (here, mut there) = (Node::join(&server).await, Node::join(&server).await);
    let blackholed = Instant::now();
    there.wire.blackhole();
    there.down().await;
    assert!(blackholed.elapsed() < SILENCE + SLACK, "noticed after {:?}", blackholed.elapsed());
    assert_eq!(there.link.status().state, LinkState::Down);
    assert_eq!(here.link.status().state, LinkState::Up);
    there.wire.heal();
    there.up().await;
    for n in 0..100 {
        here.tick(n).await;
    }
    assert_eq!(there.ticks_until(99).await, (0..100).collect::<Vec<_>>());
}
