//! [`Delivery`]: one line of input, and how it becomes an event.

use std::error::Error;

use oyez::{Emitted, Event, EventBus};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::events::*;

/// What GitHub sent: what it is about, and the body as it came.
pub struct Delivery {
    pub line: u64,
    name: String,
    payload: Box<RawValue>,
}

/// A line as it stands in the input.
#[derive(Deserialize)]
struct Line {
    event: String,
    action: Option<String>,
    payload: Box<RawValue>,
}

impl Delivery {
    /// Reads the line with this number.
    pub fn parse(line: u64, text: &[u8]) -> serde_json::Result<Self> {
        let Line { event, action, payload } = serde_json::from_slice(text)?;
        let name = match action {
            Some(action) => format!("github.{event}.{action}"),
            None => format!("github.{event}"),
        };
        Ok(Self { line, name, payload })
    }

    /// Emits the event. An error means that no handler saw it; what became of the handlers is in [`Emitted`].
    pub async fn emit(&self, bus: &EventBus) -> Result<Emitted, Box<dyn Error>> {
        match &*self.name {
            Push::NAME => self.typed::<Push>(bus).await,
            IssueOpened::NAME => self.typed::<IssueOpened>(bus).await,
            IssueClosed::NAME => self.typed::<IssueClosed>(bus).await,
            Commented::NAME => self.typed::<Commented>(bus).await,
            PullRequestOpened::NAME => self.typed::<PullRequestOpened>(bus).await,
            PullRequestClosed::NAME => self.typed::<PullRequestClosed>(bus).await,
            ReleasePublished::NAME => self.typed::<ReleasePublished>(bus).await,
            StarCreated::NAME => self.typed::<StarCreated>(bus).await,
            Forked::NAME => self.typed::<Forked>(bus).await,
            WorkflowRunCompleted::NAME => self.typed::<WorkflowRunCompleted>(bus).await,
            CheckRunCompleted::NAME => self.typed::<CheckRunCompleted>(bus).await,
            Installed::NAME => self.typed::<Installed>(bus).await,
            Uninstalled::NAME => self.typed::<Uninstalled>(bus).await,
            _ => self.untyped(bus).await,
        }
    }

    async fn typed<E: Event>(&self, bus: &EventBus) -> Result<Emitted, Box<dyn Error>> {
        let event = E::decode(E::VERSION, self.payload.get().as_bytes())?;
        Ok(bus.emit(event).header("line", self.line.to_string()).await?)
    }

    /// Patterns hear an event whose name no type bears.
    async fn untyped(&self, bus: &EventBus) -> Result<Emitted, Box<dyn Error>> {
        Ok(bus.emit_json(&*self.name, &self.payload).header("line", self.line.to_string()).await?)
    }
}
