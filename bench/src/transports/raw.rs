//! The clients without a bus: the JSON of the event is the message.

use std::future::ready;
use std::sync::Arc;

use async_nats::Client;
use futures_util::{Stream, StreamExt};
use redis::AsyncCommands;
use redis::aio::MultiplexedConnection;
use serde_json::from_slice;

use super::event::Paid;
use super::tally::Tally;
use crate::backend::Backend;
use crate::failure::Failure;
use crate::node::Node;

/// A client that publishes.
#[derive(Clone)]
pub(super) enum Raw {
    Redis { connection: MultiplexedConnection, channel: String },
    Nats { client: Client, subject: String },
}

impl Raw {
    pub(super) async fn connect(node: &Node) -> Result<Self, Failure> {
        let name = node.prefix.clone();
        Ok(match node.backend {
            Backend::Redis => {
                let client = redis::Client::open(&*node.url)?;
                Self::Redis { connection: client.get_multiplexed_async_connection().await?, channel: name }
            }
            Backend::Nats => Self::Nats { client: async_nats::connect(&node.url).await?, subject: name },
        })
    }

    /// Redis: `batch` commands in a pipeline, one pipeline after the other. NATS: whatever the client has in its queue.
    pub(super) async fn pipelined(&mut self, count: u64, batch: u64) -> Result<(), Failure> {
        match self {
            Self::Redis { connection, channel } => {
                let mut next = 0;
                while next < count {
                    let mut pipeline = redis::pipe();
                    for number in next..count.min(next + batch) {
                        pipeline.publish(&*channel, json(number)?).ignore();
                    }
                    pipeline.query_async::<()>(connection).await?;
                    next += batch;
                }
            }
            Self::Nats { client, subject } => {
                for number in 0..count {
                    client.publish(subject.clone(), json(number)?.into()).await?;
                }
                client.flush().await?;
            }
        }
        Ok(())
    }

    pub(super) async fn awaited(&mut self, count: u64) -> Result<(), Failure> {
        for number in 0..count {
            self.one(number).await?;
            if let Self::Nats { client, .. } = self {
                client.flush().await?;
            }
        }
        Ok(())
    }

    /// As fast as one can be on its way. NATS: the client flushes when it has nothing more to write.
    pub(super) async fn one(&mut self, number: u64) -> Result<(), Failure> {
        let json = json(number)?;
        match self {
            Self::Redis { connection, channel } => connection.publish(&*channel, json).await?,
            Self::Nats { client, subject } => client.publish(subject.clone(), json.into()).await?,
        }
        Ok(())
    }
}

fn json(number: u64) -> Result<Vec<u8>, serde_json::Error> {
    serde_json::to_vec(&Paid::new(number))
}

/// Subscribes, and counts from then on in a task of its own.
pub(super) async fn listen(node: &Node, tally: Arc<Tally>) -> Result<(), Failure> {
    match node.backend {
        Backend::Redis => {
            let mut subscriber = redis::Client::open(&*node.url)?.get_async_pubsub().await?;
            subscriber.subscribe(&node.prefix).await?;
            count(tally, subscriber.into_on_message().map(|message| from_slice(message.get_payload_bytes())));
        }
        Backend::Nats => {
            let client = async_nats::connect(&node.url).await?;
            let mut subscriber = client.subscribe(node.prefix.clone()).await?;
            // Only a message of our own that comes back shows that the server has the subscription.
            client.publish(node.prefix.clone(), json(0)?.into()).await?;
            subscriber.next().await.ok_or("the subscription has ended")?;
            let keeping = move |message: async_nats::Message| {
                _ = &client;
                from_slice(&message.payload)
            };
            count(tally, subscriber.map(keeping));
        }
    }
    Ok(())
}

fn count(tally: Arc<Tally>, paid: impl Stream<Item = Result<Paid, serde_json::Error>> + Send + 'static) {
    tokio::spawn(paid.for_each(move |paid| {
        if let Ok(paid) = paid {
            tally.take(paid.sent_at);
        }
        ready(())
    }));
}
