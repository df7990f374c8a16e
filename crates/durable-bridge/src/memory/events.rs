//! The events of a [`MemoryLog`](crate::MemoryLog).

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use oyez_bus::EventId;

use crate::log::{Appended, Draft, Due, LogError, LogErrorKind, Page, Read, Record, Stored};
use crate::protocol::{self, Millis, Position, Start};

#[derive(Default)]
pub(super) struct Events {
    log: Vec<Stored>,
    scheduled: BTreeMap<(Millis, u64), Record>,
    scheduled_ever: u64,
    ids: HashMap<EventId, Known>,
    keys: HashMap<(Arc<str>, Arc<str>), EventId>,
}

/// What is known of a stored event by its id.
struct Known {
    position: Option<Position>,
    version: u32,
    payload: serde_json::Value,
}

impl Events {
    pub(super) fn head(&self) -> Position {
        self.log.len() as Position
    }

    /// The position before the first one of a consumer that starts so.
    pub(super) fn before(&self, start: Start) -> Position {
        match start {
            Start::Latest => self.head(),
            Start::Earliest => 0,
            Start::Position(position) => position.saturating_sub(1).min(self.head()),
            Start::Time(time) => {
                let time = protocol::wall(time);
                self.log.iter().position(|event| event.record.at >= time).map_or(self.head(), |at| at as Position)
            }
        }
    }

    pub(super) fn append(&mut self, drafts: Vec<Draft>, now: Millis) -> Result<Vec<Appended>, LogError> {
        // All or none: what cannot be stored is known before anything is.
        let mut appended = Vec::with_capacity(drafts.len());
        let (log, scheduled) = (self.log.len(), self.scheduled_ever);
        for draft in drafts {
            match self.append_one(draft, now) {
                Ok(one) => appended.push(one),
                Err(error) => {
                    self.take_back(log, scheduled);
                    return Err(error);
                }
            }
        }
        Ok(appended)
    }

    fn append_one(&mut self, draft: Draft, now: Millis) -> Result<Appended, LogError> {
        let Draft { record, idempotency_key, due } = draft;
        let key = idempotency_key.map(|key| (Arc::clone(&record.name), key));
        let original = key.as_ref().and_then(|key| self.keys.get(key)).unwrap_or(&record.id).clone();
        let payload = serde_json::from_str(record.payload.get())
            .map_err(|error| LogError::because(LogErrorKind::Broken, error))?;
        if let Some(known) = self.ids.get(&original) {
            if known.version == record.version && known.payload != payload {
                return Err(LogError::new(LogErrorKind::Conflict));
            }
            return Ok(Appended { id: original, position: known.position, duplicate: true });
        }
        if let Some(key) = key {
            self.keys.insert(key, record.id.clone());
        }
        let due = due.map(|due| match due {
            Due::At(time) => protocol::wall(time),
            Due::After(time) => now.saturating_add(protocol::millis(time)),
        });
        let (id, version) = (record.id.clone(), record.version);
        let position = match due.filter(|due| *due > now) {
            Some(due) => {
                self.scheduled_ever += 1;
                self.scheduled.insert((due, self.scheduled_ever), record);
                None
            }
            None => Some(self.push(record)),
        };
        self.ids.insert(id.clone(), Known { position, version, payload });
        Ok(Appended { id, position, duplicate: false })
    }

    fn push(&mut self, record: Record) -> Position {
        let position = self.head() + 1;
        self.log.push(Stored { position, record });
        position
    }

    fn take_back(&mut self, log: usize, scheduled: u64) {
        let late: Vec<_> = self.scheduled.keys().filter(|(_, number)| *number > scheduled).copied().collect();
        let unscheduled = late.into_iter().filter_map(|key| self.scheduled.remove(&key)).map(|record| record.id);
        let unlogged = self.log.split_off(log).into_iter().map(|event| event.record.id);
        for id in unscheduled.chain(unlogged).collect::<Vec<_>>() {
            self.ids.remove(&id);
            self.keys.retain(|_, known| *known != id);
        }
    }

    /// Gives positions to what is due, and says when the next one is.
    pub(super) fn advance(&mut self, now: Millis) -> Option<Millis> {
        while let Some(first) = self.scheduled.first_entry() {
            let (due, _) = *first.key();
            if due > now {
                return Some(due);
            }
            let record = first.remove();
            let id = record.id.clone();
            let position = self.push(record);
            if let Some(known) = self.ids.get_mut(&id) {
                known.position = Some(position);
            }
        }
        None
    }

    pub(super) fn read(&self, read: &Read) -> Page {
        match read {
            Read::After { after, names, limit } => {
                let wanted = self.after(*after).filter(|event| names.contains(&event.record.name));
                let events: Vec<_> = wanted.take(*limit).cloned().collect();
                let last = events.last().filter(|_| events.len() == *limit).map(|event| event.position);
                Page { complete_to: last.unwrap_or_else(|| self.head().max(*after)), events }
            }
            Read::At(positions) => {
                let at = |position: &Position| self.log.get(usize::try_from(position.checked_sub(1)?).ok()?);
                Page { events: positions.iter().filter_map(at).cloned().collect(), complete_to: 0 }
            }
        }
    }

    pub(super) fn after(&self, position: Position) -> impl Iterator<Item = &Stored> {
        let from = usize::try_from(position).unwrap_or(usize::MAX).min(self.log.len());
        self.log.iter().skip(from)
    }

    /// The names of the scheduled events.
    pub(super) fn scheduled(&self) -> impl Iterator<Item = &Arc<str>> {
        self.scheduled.values().map(|record| &record.name)
    }
}
