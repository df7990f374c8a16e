//! The sending half of a link: from the outbox to the transport.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::sleep;

use crate::envelope::{Control, control_frame};
use crate::link::core::Core;
use crate::link::outbox::Entry;
use crate::transport::{Backoff, Frame, TransportError};

/// Most frames, and bytes of frames, that are published by one call.
const BATCH_FRAMES: usize = 512;
const BATCH_BYTES: usize = 1024 * 1024;

/// The longest pause between two beats of an idle link.
const LONGEST_BEAT: Duration = Duration::from_secs(60);

/// How long what is left is still sent when the bus was dropped without a close.
const LAST: Duration = Duration::from_secs(5);

/// Sends until the outbox is closed and empty.
pub(super) async fn run(core: Arc<Core>, beat: Duration) {
    tokio::select! {
        () = send_all(&core, beat) => {}
        () = given_up(&core) => {}
    }
    core.drained.send_replace(true);
    if *core.abandoned.borrow() {
        // Nobody is left who could be told.
        _ = core.transport.close(LAST).await;
        core.ended();
    }
}

async fn given_up(core: &Core) {
    // The sending half is in the core itself, so this does not fail.
    _ = core.abandoned.subscribe().wait_for(|abandoned| *abandoned).await;
    sleep(LAST).await;
}

/// Sends, and says good-bye at the end.
async fn send_all(core: &Core, beat: Duration) {
    let mut pause = beat;
    loop {
        tokio::select! {
            batch = core.outbox.take(BATCH_FRAMES, BATCH_BYTES) => match batch {
                Some(batch) => {
                    send(core, batch).await;
                    pause = beat;
                }
                None => break,
            },
            () = sleep(pause) => {
                send_beat(core).await;
                pause = (pause * 2).min(LONGEST_BEAT.max(beat));
            }
            () = core.returned.notified() => {
                send_beat(core).await;
                pause = beat;
            }
        }
    }
    send_beat(core).await;
}

/// Publishes a batch, again and again until the transport has taken it.
async fn send(core: &Core, batch: Vec<Entry>) {
    let frame = |entry: Entry| Frame::of(entry.name, entry.tail.into_frame(&core.node, entry.sequence));
    let mut frames: Vec<Frame> = batch.into_iter().map(frame).collect();
    let count = frames.len();
    let mut backoff = Backoff::default();
    while let Err(error) = publish(core, &frames).await {
        log(core, &error);
        if error.is_retryable() {
            // The subscription may be back before the pause is over.
            tokio::select! {
                () = sleep(backoff.pause()) => {}
                () = core.returned.notified() => {}
            }
        } else {
            frames = send_one_by_one(core, frames).await;
        }
    }
    core.outbox.settled(count);
}

async fn publish(core: &Core, frames: &[Frame]) -> Result<(), TransportError> {
    if frames.is_empty() {
        return Ok(());
    }
    core.transport.publish(frames).await?;
    core.counts.sent.add(frames.len() as u64);
    Ok(())
}

/// Finds out which frames cannot be published, and gives those up. Returns what is left when the connection goes.
async fn send_one_by_one(core: &Core, mut frames: Vec<Frame>) -> Vec<Frame> {
    while !frames.is_empty() {
        match publish(core, &frames[..1]).await {
            Err(error) if error.is_retryable() => break,
            Err(_) => core.counts.unsendable.add(1),
            Ok(()) => {}
        }
        frames.remove(0);
    }
    frames
}

/// Tells the other nodes the last number, so that they see what they lack (promise T7). It is not repeated: the next
/// frame or beat says the same.
async fn send_beat(core: &Core) {
    let last = core.outbox.last_gone();
    if last == 0 {
        return;
    }
    let beat = Frame::new(Control::NAME, control_frame(&core.node, last, Control::Beat));
    if let Err(error) = core.transport.publish(&[beat]).await {
        log(core, &error);
    }
}

fn log(core: &Core, error: &TransportError) {
    if let Some(times) = core.logs.publish.tick() {
        tracing::warn!(target: "oyez", link = &*core.node.link, error = %error, times, "events could not be published");
    }
}
