//! What is measured: oyez, and each peer in a file of its own.

mod async_broadcast;
mod bevy;
mod broadcast;
mod floor;
mod node;
mod oyez;
mod threads;
mod tokio_events;

use crate::failure::Failure;
use crate::subject::Group;

/// All rows, in the order of the table.
pub(crate) fn groups() -> Result<Vec<Group>, Failure> {
    let mut groups = vec![
        oyez::group()?,
        threads::group()?,
        floor::group()?,
        broadcast::group()?,
        async_broadcast::group()?,
        tokio_events::group()?,
        bevy::group(),
    ];
    match node::group() {
        Ok(node) => groups.push(node),
        Err(reason) => eprintln!("Node is left out: {reason}."),
    }
    Ok(groups)
}
