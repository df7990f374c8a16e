//! [`Recorder`]: what was emitted, for tests (promise B20).

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use crate::any_event::AnyEvent;
use crate::bus::EventBus;
use crate::context::Context;
use crate::dispatch::Run;
use crate::event::Event;
use crate::pattern::Pattern;
use crate::subscribe::SubscriptionGuard;

/// Keeps every event of a bus that is emitted while it lives, in order. Dropping it ends its subscription.
///
/// The assertions panic in the test's own line, and say what was emitted instead.
///
/// ```
/// # use oyez_bus::{EventBus, testing::Recorder};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), oyez_bus::EmitError> {
/// let bus = EventBus::new();
/// let recorder = Recorder::new(&bus);
/// bus.emit_json("user.created", serde_json::json!({ "id": 7 })).await?;
/// recorder.assert_names(&["user.created"]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Recorder {
    recorded: Arc<Mutex<Vec<Recorded>>>,
    _guard: SubscriptionGuard,
}

/// One event that was emitted, with its context.
#[derive(Clone)]
#[non_exhaustive]
pub struct Recorded {
    /// The event.
    pub event: AnyEvent,
    /// What is known about it.
    pub context: Context,
}

impl Recorder {
    /// Begins to record every event of `bus`.
    #[must_use]
    pub fn new(bus: &EventBus) -> Self {
        Self::of(bus, Pattern::all())
    }

    /// Begins to record the events whose names `pattern` stands for.
    #[must_use]
    pub fn of(bus: &EventBus, pattern: Pattern) -> Self {
        let recorded = Arc::new(Mutex::new(Vec::new()));
        let into = Arc::clone(&recorded);
        let keep = move |event: AnyEvent, context: &Context| {
            context.keep_time();
            let context = context.clone();
            into.lock().unwrap_or_else(PoisonError::into_inner).push(Recorded { event, context });
            Ok(())
        };
        let subscription = bus.subscribe_names(pattern).name("recorder").run(Run::Keep(Box::new(keep)));
        Self { recorded, _guard: subscription.guard() }
    }

    /// Everything so far, in the order of the emits.
    #[must_use]
    pub fn all(&self) -> Vec<Recorded> {
        self.recorded.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The names of everything so far.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.all().iter().map(|recorded| recorded.event.name().to_owned()).collect()
    }

    /// The events of type `E` so far.
    #[must_use]
    pub fn events<E: Event>(&self) -> Vec<Arc<E>> {
        self.all().iter().filter_map(|recorded| recorded.event.downcast()).collect()
    }

    /// The events called `name` so far.
    #[must_use]
    pub fn named(&self, name: &str) -> Vec<AnyEvent> {
        self.all().into_iter().map(|recorded| recorded.event).filter(|event| event.name() == name).collect()
    }

    /// Forgets everything so far, and returns it.
    pub fn take(&self) -> Vec<Recorded> {
        std::mem::take(&mut self.recorded.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Asserts that exactly these names were emitted, in this order.
    ///
    /// # Panics
    /// Others were, or in another order.
    #[track_caller]
    pub fn assert_names(&self, names: &[&str]) {
        assert!(self.names() == names, "expected the events {names:?}\n{}", self.report());
    }

    /// Asserts that at least one `E` was emitted for which `expected` is true, and returns the first.
    ///
    /// # Panics
    /// None was.
    #[track_caller]
    pub fn assert_emitted<E: Event>(&self, expected: impl Fn(&E) -> bool) -> Arc<E> {
        let events = self.events::<E>();
        let seen = events.len();
        match events.into_iter().find(|event| expected(event)) {
            Some(event) => event,
            None => self.fail(format_args!("expected a `{}` that fits; {seen} of that type do not", E::NAME)),
        }
    }

    /// Asserts that no `E` was emitted.
    ///
    /// # Panics
    /// One was.
    #[track_caller]
    pub fn assert_not_emitted<E: Event>(&self) {
        let seen = self.events::<E>().len();
        assert!(seen == 0, "expected no `{}`, but there are {seen}\n{}", E::NAME, self.report());
    }

    /// Asserts that `count` events of type `E` were emitted.
    ///
    /// # Panics
    /// More or fewer were.
    #[track_caller]
    pub fn assert_count<E: Event>(&self, count: usize) {
        let seen = self.events::<E>().len();
        assert!(seen == count, "expected {count} of `{}`, but there are {seen}\n{}", E::NAME, self.report());
    }

    #[track_caller]
    #[expect(clippy::panic, reason = "an assertion of a test kit")]
    fn fail(&self, expected: fmt::Arguments<'_>) -> ! {
        panic!("{expected}\n{}", self.report())
    }

    /// One line for each event: its number, its name, and its payload unless that is local.
    fn report(&self) -> String {
        let all = self.all();
        if all.is_empty() {
            return "nothing was emitted".to_owned();
        }
        let line = |(number, recorded): (usize, &Recorded)| match recorded.event.json() {
            Some(json) => format!("\n{:>4}  {}  {json}", number + 1, recorded.event.name()),
            None => format!("\n{:>4}  {}", number + 1, recorded.event.name()),
        };
        format!("what was emitted:{}", all.iter().enumerate().map(line).collect::<String>())
    }
}

impl fmt::Debug for Recorded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorded").field("event", &self.event).field("depth", &self.context.depth()).finish()
    }
}
