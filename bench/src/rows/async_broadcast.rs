//! The crate `async-broadcast`: a broadcast channel for any runtime.

use std::hint::black_box;
use std::sync::Arc;

use crate::event::Tick;
use crate::failure::Failure;
use crate::subject::{Group, Row};
use crate::workers::{Workers, runtime};

pub(super) fn group() -> Result<Group, Failure> {
    let about = "async_broadcast: the crate `async-broadcast` with an `Arc` of the event, by its `_direct` calls \
                 that need no allocation; sent, and received by every receiver on the same task; no isolation, no \
                 result.";
    let mut subjects = Vec::new();
    for handlers in [1, 4, 10, 16] {
        let (sender, first) = async_broadcast::broadcast(16);
        let mut receivers = vec![first];
        receivers.resize_with(handlers, || sender.new_receiver());
        let row = Row::new(format!("async_broadcast_{handlers}"), handlers);
        subjects.push(Workers::on(runtime()?, row, async move |times| {
            let mut received = 0;
            for n in 0..times {
                let sent = sender.broadcast_direct(Arc::new(Tick { n })).await;
                assert!(sent.is_ok());
                for receiver in &mut receivers {
                    if let Ok(tick) = receiver.recv_direct().await {
                        black_box(tick.n);
                        received += 1;
                    }
                }
            }
            assert_eq!(received, times * handlers as u64);
        }));
    }
    Ok(Group { about, subjects })
}
