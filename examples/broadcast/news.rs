//! What happens to a link, line by line, and its counts at the end.

use std::fmt;

use oyez::{LinkEvent, LinkEvents, LinkStatus};

use crate::output::say;

/// Says what happens until the link is closed.
pub async fn tell(mut events: LinkEvents) {
    while let Some(event) = events.next().await {
        match event {
            LinkEvent::Down => say("-- the connection is gone; trying to get it back"),
            LinkEvent::Up { down_for } => say(format_args!("-- connected again after {down_for:.1?}")),
            LinkEvent::Gap { origin, lost } => say(format_args!("-- {lost} events of {} are lost", short(&origin))),
            LinkEvent::Refused { name, size, limit } => {
                say(format_args!("-- {name} is too large for the server: {size} bytes of {limit}"));
            }
            LinkEvent::Rejected { reason } => say(format_args!("-- a message was rejected: {reason}")),
            LinkEvent::Lagged(lacking) => say(format_args!("-- {lacking} lines like this are missing")),
            LinkEvent::Closed => break,
            _ => {}
        }
    }
}

/// The beginning of a node's random id: enough to tell a few apart. Other programs have a source of their own, which may be
/// any text: nothing of it reaches the terminal as a command.
pub fn short(origin: &str) -> String {
    let is_ours = origin.len() == 32 && origin.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_ours { origin[..8].to_owned() } else { origin.escape_debug().to_string() }
}

/// The counts that are not zero.
pub struct Summary(pub LinkStatus);

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(status) = self;
        let counts = [
            ("sent", status.sent),
            ("dropped by the full outbox", status.dropped),
            ("too large", status.refused),
            ("not sendable", status.unsendable),
            ("received", status.received),
            ("own ones that came back", status.echoes),
            ("handled", status.handled),
            ("unheard", status.unheard),
            ("left in the inbox", status.unhandled),
            ("duplicates", status.duplicates),
            ("lost", status.lost),
            ("rejected", status.rejected),
            ("dropped by the full inbox", status.overrun),
        ];
        let shown: Vec<_> = counts.iter().filter(|(_, count)| *count > 0).collect();
        if shown.is_empty() {
            return f.write_str("nothing was sent or received");
        }
        for (index, (what, count)) in shown.into_iter().enumerate() {
            write!(f, "{}{what}: {count}", if index > 0 { ", " } else { "" })?;
        }
        Ok(())
    }
}
