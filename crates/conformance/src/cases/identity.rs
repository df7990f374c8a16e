//! T3: a bus never takes its own events for those of others, nor one event for two.

use std::sync::Arc;

use oyez_bus::transport::Transport;
use oyez_bus::{Context, EventBus, Source};

use crate::backend::Backend;
use crate::child::{self, Child};
use crate::events::{Said, Tick};
use crate::node::{Node, PREFIX, patiently};

/// The frames of a node come back to it and are dropped; two buses of a process are two nodes.
pub async fn t03_a_bus_never_handles_its_own_events_as_remote_ones<B: Backend>() {
    let server = B::start().await;
    let (mut here, mut there) = (Node::join(&server).await, Node::join(&server).await);
    assert_ne!(here.bus.instance(), there.bus.instance());
    here.tick(1).await;
    assert_eq!(there.ticks_until(1).await, [1]);
    there.tick(2).await;
    assert_eq!(here.ticks_until(2).await, [1, 2]);
    let status = here.status(|status| status.handled == 1).await;
    assert!(status.echoes >= 1);
    assert_eq!(status.duplicates, 0);
}

/// Two links between two buses, over each of which every event comes.
pub async fn t03_an_event_that_comes_over_two_links_is_handled_once<B: Backend>() {
    let server = B::start().await;
    let (here, there) = (EventBus::new(), EventBus::new());
    let attach = |bus: &EventBus, prefix: &'static str| Node::attach(bus.clone(), &server, prefix, |attach| attach);
    let here = (attach(&here, PREFIX).await.expect("it joins"), attach(&here, "other").await.expect("it joins"));
    let there = (attach(&there, PREFIX).await.expect("it joins"), attach(&there, "other").await.expect("it joins"));
    let (one, mut two) = there;
    for n in 0..100 {
        here.0.tick(n).await;
    }
    let handled = async || one.link.status().duplicates + two.link.status().duplicates == 100;
    assert!(crate::node::eventually(handled).await, "{:?} {:?}", one.link.status(), two.link.status());
    assert_eq!(one.link.status().handled + two.link.status().handled, 100);
    assert_eq!(one.link.status().lost + two.link.status().lost, 0);
    // Which link is first may change, and with it the order.
    here.0.status(|status| status.outbox == 0).await;
    here.0.tick(1000).await;
    let mut numbers = two.ticks_until(1000).await;
    numbers.sort_unstable();
    assert_eq!(numbers, (0..100).chain([1000]).collect::<Vec<_>>());
}

/// A node that two prefixes share does not carry events from one to the other.
pub async fn t03_remote_events_are_not_broadcast_again<B: Backend>() {
    let server = B::start().await;
    let between = EventBus::new();
    let mut between_left = Node::attach(between.clone(), &server, "left", |attach| attach).await.expect("it joins");
    let between_right = Node::attach(between, &server, "right", |attach| attach).await.expect("it joins");
    let left = Node::join_with(&server, "left", |attach| attach).await;
    let mut right = Node::join_with(&server, "right", |attach| attach).await;
    left.tick(1).await;
    assert_eq!(between_left.ticks_until(1).await, [1]);
    between_right.tick(2).await;
    assert_eq!(right.ticks_until(2).await, [2]);
}

/// Two processes that are the same in everything, started together: each handles the other's events.
pub async fn c21_two_processes_of_one_name_hear_each_other<B: Backend>() {
    if child::is_done::<B>(|transport| Box::pin(be_a_twin(transport))).await {
        return;
    }
    let server = B::start().await;
    let node = Node::join(&server).await;
    let mut said = node.bus.stream::<Said>(100);
    let name = "c21_two_processes_of_one_name_hear_each_other";
    let one = Child::start::<B>(&server, name, |transport| Box::pin(be_a_twin(transport))).await;
    let two = Child::start::<B>(&server, name, |transport| Box::pin(be_a_twin(transport))).await;
    let mut both_say = async |wanted: &str| {
        let mut by = std::collections::BTreeSet::new();
        while by.len() < 2 {
            let next = patiently(said.next()).await.unwrap_or_else(|| panic!("{by:?} alone say {wanted}"));
            let said = next.expect("the bus is there").expect("the stream holds all");
            if said.what == wanted {
                by.insert(said.by.clone());
            }
        }
    };
    let tell = async |what: &str| {
        let told = Said { by: "the test".into(), what: what.into() };
        node.bus.emit(told).await.expect("the bus takes events");
    };
    both_say("I am there").await;
    tell("emit").await;
    both_say("I have all").await;
    tell("how many").await;
    both_say("10, 5 of them remote").await;
    tell("end").await;
    one.succeeds().await;
    two.succeeds().await;
}

/// Emits five events when told to, and tells how many it has handled.
async fn be_a_twin(transport: impl Transport) {
    let bus = EventBus::new();
    let link = bus.attach(transport).await.expect("the twin joins");
    let counts = Arc::new(std::sync::Mutex::new((0, 0)));
    let (into, weak) = (Arc::clone(&counts), bus.downgrade());
    let me = bus.instance().to_owned();
    bus.on_sync(move |_: &Tick, context: &Context| {
        let mut counts = into.lock().expect("nobody panics under it");
        counts.0 += 1;
        counts.1 += usize::from(matches!(context.source(), Source::Remote { .. }));
        if counts.0 == 10
            && let Some(bus) = weak.upgrade()
        {
            _ = bus.post(Said { by: bus.instance().into(), what: "I have all".into() });
        }
    });
    let mut said = bus.stream::<Said>(100);
    let say = async |what: String| {
        bus.emit(Said { by: me.clone(), what }).await.expect("the bus takes events");
    };
    say("I am there".into()).await;
    while let Some(Ok(told)) = patiently(said.next()).await.flatten() {
        match told.what.as_str() {
            _ if told.by != "the test" => {}
            "emit" => {
                for n in 0..5 {
                    bus.emit(Tick { n }).await.expect("the bus takes events");
                }
            }
            "how many" => {
                let (all, remote) = *counts.lock().expect("nobody panics under it");
                say(format!("{all}, {remote} of them remote")).await;
            }
            _ => break,
        }
    }
    link.close(std::time::Duration::from_secs(10)).await;
}
