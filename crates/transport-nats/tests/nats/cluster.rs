//! Several servers that are one.

use std::collections::BTreeSet;

use oyez_bus::transport::{Received, Transport};
use oyez_conformance::server::nats::NatsCluster;

use crate::node::{Node, frame, meet};

#[tokio::test(flavor = "multi_thread")]
async fn t05_events_flow_on_when_a_server_of_a_cluster_is_killed_and_gaps_can_be_counted() {
    let mut cluster = NatsCluster::start(3).await;
    let (first, second) = (cluster.servers[0].url(), cluster.servers[1].url());
    let (sender, mut receiver) = (Node::join(&first, "app").await, Node::join(&second, "app").await);
    meet(&sender, &mut receiver, "before").await;
    for n in 0..1000 {
        sender.publish("tick", &n.to_string()).await.unwrap();
    }
    let (heard, _) = receiver.until("999").await;
    assert_eq!(heard.into_iter().filter(|payload| payload != "before").count(), 1000);

    cluster.servers[1].kill();
    receiver.wait_for(Received::Down).await;
    // While the receiver is between two servers.
    for n in 1000..2000 {
        sender.publish("tick", &n.to_string()).await.unwrap();
    }
    receiver.wait_for(Received::Up).await;
    meet(&sender, &mut receiver, "after").await;
    for n in 2000..3000 {
        sender.publish("tick", &n.to_string()).await.unwrap();
    }
    let (heard, downs) = receiver.until("2999").await;
    assert_eq!(downs, 0);
    let numbers: Vec<u32> = heard.iter().filter_map(|payload| payload.parse().ok()).collect();
    let unique: BTreeSet<_> = numbers.iter().copied().collect();
    assert_eq!(numbers, unique.iter().copied().collect::<Vec<_>>(), "in order, each once");
    assert!((2000..3000).all(|n| unique.contains(&n)));
}

#[tokio::test(flavor = "multi_thread")]
async fn t05_a_sender_whose_server_is_killed_goes_on_over_another() {
    let mut cluster = NatsCluster::start(3).await;
    let (first, second) = (cluster.servers[0].url(), cluster.servers[1].url());
    let (mut sender, mut receiver) = (Node::join(&first, "app").await, Node::join(&second, "app").await);
    meet(&sender, &mut receiver, "before").await;
    cluster.servers[0].kill();
    sender.wait_for(Received::Down).await;
    sender.wait_for(Received::Up).await;
    meet(&sender, &mut receiver, "after").await;
    let frames: Vec<_> = (0..1000).map(|n| frame("tick", &n.to_string())).collect();
    sender.transport.publish(&frames).await.unwrap();
    let (heard, downs) = receiver.until("999").await;
    assert_eq!(heard.iter().filter(|payload| payload.parse::<u32>().is_ok()).count(), 1000);
    assert_eq!(downs, 0);
}
