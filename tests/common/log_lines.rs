//! [`LogLine`]: what was logged through `tracing`, captured for the whole process.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Mutex, Once, PoisonError};

use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::layer::{Context, SubscriberExt};
use tracing_subscriber::{Layer, registry};

/// One line of the log, at any level, with all its fields as text.
#[derive(Debug, Clone)]
pub(crate) struct LogLine {
    pub(crate) level: Level,
    pub(crate) fields: BTreeMap<&'static str, String>,
}

/// Every line that is captured and not yet taken.
pub(crate) static LINES: Mutex<Vec<LogLine>> = Mutex::new(Vec::new());

impl LogLine {
    pub(crate) fn field(&self, name: &str) -> &str {
        self.fields.get(name).map_or("", String::as_str)
    }
}

/// Begins to capture. Tests of one process share the capture, so each looks for event names of its own.
pub(crate) fn capture() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        tracing::subscriber::set_global_default(registry().with(Capture)).expect("nobody else installs a subscriber");
    });
}

/// The lines about the event called `event` since the last call.
pub(crate) fn take_lines(event: &str) -> Vec<LogLine> {
    let mut lines = LINES.lock().unwrap_or_else(PoisonError::into_inner);
    let (taken, kept) = std::mem::take(&mut *lines).into_iter().partition(|line| line.field("event") == event);
    *lines = kept;
    taken
}

struct Capture;

impl<S: Subscriber> Layer<S> for Capture {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut line = LogLine { level: *event.metadata().level(), fields: BTreeMap::new() };
        event.record(&mut line);
        LINES.lock().unwrap_or_else(PoisonError::into_inner).push(line);
    }
}

impl Visit for LogLine {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.fields.insert(field.name(), value.to_owned());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.fields.insert(field.name(), format!("{value:?}"));
    }
}
