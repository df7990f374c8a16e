//! [`Inbox`]: decides what becomes of each frame that arrived. No I/O, no clock.

use std::sync::{Arc, Mutex, PoisonError};

use crate::envelope::{Control, Envelope, Node, Origin, RejectedReason};
use crate::link::recent::Recent;
use crate::link::sequence::{Heard, Origins};
use crate::pattern::Pattern;

/// What a link remembers of the frames before.
pub(super) struct Inbox {
    node: Node,
    only: Option<Vec<Pattern>>,
    origins: Origins,
    /// Shared by the links of a bus.
    recent: Arc<Mutex<Recent>>,
}

/// What becomes of a frame.
#[derive(Debug)]
pub(super) struct Verdict<'f> {
    /// Events of this sender that are lost, as the frame shows.
    pub(super) lost: Option<(Arc<str>, u64)>,
    pub(super) fate: Fate<'f>,
}

#[derive(Debug)]
pub(super) enum Fate<'f> {
    /// To the handlers.
    Handle(Box<Envelope<'f>>),
    /// This bus sent it (promise T3).
    Echo,
    /// It came before.
    Duplicate,
    /// The link is not for it.
    Filtered,
    /// It carries no event.
    Control,
    Rejected(RejectedReason),
}

impl Inbox {
    pub(super) fn new(node: Node, only: Option<Vec<Pattern>>, recent: Arc<Mutex<Recent>>) -> Self {
        Self { node, only, origins: Origins::default(), recent }
    }

    pub(super) fn judge<'f>(&mut self, frame: &'f [u8]) -> Verdict<'f> {
        // Every second frame of a busy node is its own: that is seen without reading it.
        if frame.starts_with(self.node.opening.as_bytes()) {
            return Fate::Echo.into();
        }
        let envelope = match Envelope::read(frame) {
            Ok(envelope) => envelope,
            Err(reason) => return Fate::Rejected(reason).into(),
        };
        let origin = envelope.origin();
        if origin == (Origin::Node { instance: &self.node.instance }) {
            return Fate::Echo.into();
        }
        // The numbers of a foreign writer mean what that writer wants.
        let sequence = envelope.sequence.filter(|_| matches!(origin, Origin::Node { .. }));
        if let Some(control) = envelope.control {
            let last = sequence.filter(|_| control == Control::Beat);
            let lost = last.map_or(0, |last| self.origins.hear_last(&envelope.source, last));
            return Verdict { lost: (lost > 0).then(|| (origin.id().into(), lost)), fate: Fate::Control };
        }
        let heard = sequence.map_or(Heard::InOrder, |sequence| self.origins.hear(&envelope.source, sequence));
        let lost = match heard {
            Heard::InOrder => None,
            Heard::After { lost } => Some((origin.id().into(), lost)),
            Heard::Late => return Fate::Duplicate.into(),
        };
        let fate = if !self.is_new(origin, &envelope) {
            Fate::Duplicate
        } else if self.only.as_ref().is_some_and(|only| !only.iter().any(|one| one.matches(&envelope.name))) {
            Fate::Filtered
        } else {
            Fate::Handle(Box::new(envelope))
        };
        Verdict { lost, fate }
    }

    fn is_new(&self, origin: Origin<'_>, envelope: &Envelope<'_>) -> bool {
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        recent.is_new(origin.id(), envelope.id.as_str())
    }
}

impl<'f> From<Fate<'f>> for Verdict<'f> {
    fn from(fate: Fate<'f>) -> Self {
        Self { lost: None, fate }
    }
}
