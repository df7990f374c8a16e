//! `tokio::sync::broadcast`: the channel most programs use in place of a bus.

use std::borrow::Borrow;
use std::convert::identity;
use std::hint::black_box;
use std::sync::Arc;

use tokio::sync::broadcast;

use crate::event::Tick;
use crate::failure::Failure;
use crate::subject::{Group, Row, Subject};
use crate::workers::{Workers, runtime};

pub(super) fn group() -> Result<Group, Failure> {
    let about = "broadcast: `tokio::sync::broadcast` of an `Arc` of the event, which is what handlers get too; \
                 sent, and received by every receiver on the same task, so that no wake-up is counted; no \
                 isolation, no result. The copy rows send the event itself, a single number.";
    let mut subjects = Vec::new();
    for handlers in [1, 4, 10, 16] {
        subjects.push(measured("broadcast", handlers, Arc::new)?);
    }
    for handlers in [1, 10] {
        subjects.push(measured("broadcast_copy", handlers, identity)?);
    }
    Ok(Group { about, subjects })
}

fn measured<T>(name: &str, handlers: usize, wrap: fn(Tick) -> T) -> Result<Box<dyn Subject>, Failure>
where
    T: Borrow<Tick> + Clone + Send + Sync + 'static,
{
    let (sender, _) = broadcast::channel(16);
    let mut receivers: Vec<_> = (0..handlers).map(|_| sender.subscribe()).collect();
    Ok(Workers::on(runtime()?, Row::new(format!("{name}_{handlers}"), handlers), async move |times| {
        let mut received = 0;
        for n in 0..times {
            let sent = sender.send(wrap(Tick { n }));
            assert!(sent.is_ok());
            for receiver in &mut receivers {
                if let Ok(tick) = receiver.recv().await {
                    black_box(tick.borrow().n);
                    received += 1;
                }
            }
        }
        assert_eq!(received, times * handlers as u64);
    }))
}
