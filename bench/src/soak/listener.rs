//! A process that listens, and keeps a [`Ledger`].

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use oyez::{EventBus, LinkEvent, Source};
use serde::{Deserialize, Serialize};

use super::event::Counted;
use super::ledger::{Account, Ledger};
use super::weight::Weight;
use crate::child::serve;
use crate::failure::Failure;
use crate::node::{Node, runtime};

const CLOSED_WITHIN: Duration = Duration::from_secs(5);

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) enum Order {
    Weigh,
    Count,
    Close,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Answer {
    Weight(Weight),
    Accounts(BTreeMap<String, Account>),
    Closed(Outages),
}

/// What happened to its link.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(super) struct Outages {
    pub(super) downs: u64,
    pub(super) ups: u64,
    /// Link events that were not read in time; then the account of what was lost is not whole.
    pub(super) lagged: u64,
}

#[derive(Debug, Default)]
struct Book {
    ledger: Ledger,
    outages: Outages,
}

pub(crate) fn listen(node: &Node) -> Result<(), Failure> {
    let runtime = runtime()?;
    let book = Arc::new(Mutex::new(Book::default()));
    let bus = EventBus::new();
    let handling = Arc::clone(&book);
    bus.on_sync(move |event: &Counted, cx| {
        if let Source::Remote { origin } = cx.source() {
            lock(&handling).ledger.handle(&origin, event.number);
        }
    });
    let link = runtime.block_on(node.attach(&bus))?;
    let (mut events, noting) = (link.events(), Arc::clone(&book));
    runtime.spawn(async move {
        while let Some(event) = events.next().await {
            lock(&noting).note(&event);
        }
    });
    serve(|order| {
        Ok(match order {
            Order::Weigh => Answer::Weight(Weight::of(&runtime)?),
            Order::Count => Answer::Accounts(lock(&book).ledger.accounts()),
            Order::Close => {
                runtime.block_on(link.close(CLOSED_WITHIN));
                Answer::Closed(lock(&book).outages)
            }
        })
    })
}

fn lock(book: &Mutex<Book>) -> MutexGuard<'_, Book> {
    book.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Book {
    fn note(&mut self, event: &LinkEvent) {
        match event {
            LinkEvent::Gap { origin, lost } => self.ledger.lose(origin, *lost),
            LinkEvent::Down => self.outages.downs += 1,
            LinkEvent::Up { .. } => self.outages.ups += 1,
            LinkEvent::Lagged(count) => self.outages.lagged += count,
            _ => {}
        }
    }
}
