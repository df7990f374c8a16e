//! [`Listener`]: the process that receives, and both sides of what is asked of it.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use oyez::EventBus;
use serde::{Deserialize, Serialize};

use super::event::Paid;
use super::raw;
use super::tally::{Heard, Tally};
use crate::child::{Child, serve};
use crate::failure::Failure;
use crate::node::{Node, runtime};
use crate::role::Role;

/// How long the child waits before it answers: not long, so that it does not outlive its parent.
const PAUSE: Duration = Duration::from_millis(200);
const ARRIVED_WITHIN: Duration = Duration::from_secs(20);

#[derive(Debug, Clone)]
pub(super) struct Listener(Rc<RefCell<Child>>);

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
enum Order {
    Expect { count: usize, timed: bool },
    Hear,
}

impl Listener {
    pub(super) fn start(role: &Role) -> Result<Self, Failure> {
        Ok(Self(Rc::new(RefCell::new(Child::start(role)?))))
    }

    /// Begins to count. Answered when the child hears what is sent from now on.
    pub(super) fn expect(&self, count: usize, timed: bool) -> Result<(), Failure> {
        self.ask(Order::Expect { count, timed }).map(drop)
    }

    /// Waits until all that was expected has arrived.
    pub(super) fn hear(&self, count: usize) -> Result<Heard, Failure> {
        let begin = Instant::now();
        loop {
            let heard = self.ask(Order::Hear)?;
            if heard.received == count {
                return Ok(heard);
            }
            if heard.received > count || begin.elapsed() > ARRIVED_WITHIN {
                return Err(format!("{} of {count} events arrived", heard.received).into());
            }
        }
    }

    fn ask(&self, order: Order) -> Result<Heard, Failure> {
        self.0.borrow_mut().ask(order)
    }
}

/// The child that listens with a bus.
pub(crate) fn listen(node: &Node) -> Result<(), Failure> {
    let runtime = runtime()?;
    let tally = Arc::new(Tally::default());
    let bus = EventBus::new();
    let counting = Arc::clone(&tally);
    bus.on_sync(move |paid: &Paid, _| counting.take(paid.sent_at));
    runtime.block_on(node.attach(&bus))?;
    answer(&tally)
}

/// The child that listens with a raw client.
pub(crate) fn listen_raw(node: &Node) -> Result<(), Failure> {
    let runtime = runtime()?;
    let tally = Arc::new(Tally::default());
    runtime.block_on(raw::listen(node, Arc::clone(&tally)))?;
    answer(&tally)
}

fn answer(tally: &Tally) -> Result<(), Failure> {
    serve(|order| {
        Ok(match order {
            Order::Expect { count, timed } => {
                tally.expect(count, timed);
                tally.heard(Duration::ZERO)
            }
            Order::Hear => tally.heard(PAUSE),
        })
    })
}
