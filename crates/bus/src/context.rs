//! [`Context`]: what a handler may know about the event besides its fields.

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use tokio::task::JoinHandle;

use crate::ambient::{self, InContext, Origin};
use crate::bus::WeakEventBus;
use crate::id::EventId;
use crate::queue::QueueId;
use crate::tracker::Epoch;

/// What is known about one emitted event besides its fields (promise B10).
///
/// All handlers of one emit share it. Cloning is cheap; ids and the time are computed when they are first asked for.
#[derive(Clone)]
pub struct Context {
    inner: Arc<Inner>,
}

#[derive(Default)]
struct Inner {
    name: EventName,
    version: u32,
    depth: usize,
    parent: Option<Context>,
    id: OnceLock<EventId>,
    correlation: OnceLock<EventId>,
    time: OnceLock<SystemTime>,
    given: Option<Box<Given>>,
    reach: Option<Arc<Reach>>,
    /// The context of the same event in the emit itself, if this one is for a queue: ids and time are there.
    twin: Option<Context>,
}

/// The memory of a context of an event that came from outside of any handler, with nothing attached. It is used for
/// another such event, if no handler has kept it.
#[derive(Default)]
pub(crate) struct Blank(Arc<Inner>);

impl Blank {
    /// The context of another event of that kind.
    #[inline]
    pub(crate) fn fill_plain(mut self, name: EventName, version: u32) -> Context {
        match Arc::get_mut(&mut self.0) {
            Some(inner) => {
                (inner.name, inner.version) = (name, version);
                if inner.id.get().is_some() || inner.correlation.get().is_some() {
                    (inner.id, inner.correlation) = (OnceLock::new(), OnceLock::new());
                }
                if inner.time.get().is_some() {
                    inner.time = OnceLock::new();
                }
            }
            None => self.0 = Arc::new(Inner { name, version, ..Inner::default() }),
        }
        Context { inner: self.0 }
    }
}

/// What work caused by an event inherits besides ids: the scope's bus, the queue whose handler waits for it, and the epoch in
/// which `settle` and `shutdown` count it.
#[derive(Clone, Default)]
pub(crate) struct Reach {
    pub(crate) scope: Option<WeakEventBus>,
    pub(crate) queue: Option<QueueId>,
    pub(crate) epoch: Option<Epoch>,
}

/// What the emitter said about the event.
#[derive(Clone, Default)]
pub(crate) struct Given {
    pub(crate) id: Option<EventId>,
    pub(crate) correlation: Option<EventId>,
    pub(crate) causation: Option<EventId>,
    pub(crate) headers: BTreeMap<String, String>,
    /// The bus of another process that emitted it.
    pub(crate) origin: Option<Arc<str>>,
}

/// What a context of an event of another process is made from.
pub(crate) struct RemoteContext {
    pub(crate) name: EventName,
    pub(crate) version: u32,
    pub(crate) depth: usize,
    pub(crate) time: Option<SystemTime>,
    pub(crate) given: Given,
    pub(crate) reach: Reach,
}

/// Where an event was emitted.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Source {
    /// On this bus.
    Local,
    /// On another bus, usually of another process.
    Remote {
        /// The [`instance`](crate::EventBus::instance) of the bus; of a program without oyez, the `source` of its
        /// CloudEvents.
        origin: Arc<str>,
    },
}

#[derive(Debug, Clone)]
pub(crate) enum EventName {
    Static(&'static str),
    Shared(Arc<str>),
}

impl Default for EventName {
    fn default() -> Self {
        Self::Static("")
    }
}

impl PartialEq for EventName {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for EventName {}

impl EventName {
    pub(crate) fn as_str(&self) -> &str {
        match self {
            Self::Static(name) => name,
            Self::Shared(name) => name,
        }
    }
}

impl Context {
    pub(crate) fn new(name: EventName, version: u32, given: Option<Box<Given>>, (parent, reach): Origin) -> Self {
        let depth = parent.as_ref().map_or(0, |parent| parent.inner.depth + 1);
        let inner = Inner { name, version, depth, parent, given, reach, ..Inner::default() };
        Self { inner: Arc::new(inner) }
    }

    /// The context of an event that another process emitted.
    pub(crate) fn remote(remote: RemoteContext) -> Self {
        let RemoteContext { name, version, depth, time, given, reach } = remote;
        let inner = Inner {
            name,
            version,
            depth,
            time: time.map(OnceLock::from).unwrap_or_default(),
            given: Some(Box::new(given)),
            reach: Some(Arc::new(reach)),
            ..Inner::default()
        };
        Self { inner: Arc::new(inner) }
    }

    /// Its memory, if that can be used for another event: it holds nothing but ids and the time.
    #[inline]
    pub(crate) fn into_blank(self) -> Option<Blank> {
        let Inner { parent, given, reach, .. } = &*self.inner;
        let plain = parent.is_none() && given.is_none() && reach.is_none();
        plain.then_some(Blank(self.inner))
    }

    /// The event's name.
    #[must_use]
    pub fn name(&self) -> &str {
        self.inner.name.as_str()
    }

    pub(crate) fn event_name(&self) -> &EventName {
        &self.inner.name
    }

    /// The version of the event's payload.
    #[must_use]
    pub fn version(&self) -> u32 {
        self.inner.version
    }

    /// The event's id: what the emitter gave, else a new UUIDv7.
    #[must_use]
    pub fn id(&self) -> &EventId {
        self.event().id.get_or_init(|| self.given().and_then(|given| given.id.clone()).unwrap_or_else(EventId::random))
    }

    /// When the event was emitted, by the clock of the emitting host. It is read when it is first asked for, and at the
    /// latest when the event enters a queue or a handler first waits.
    #[must_use]
    pub fn time(&self) -> SystemTime {
        *self.event().time.get_or_init(SystemTime::now)
    }

    /// Reads the clock now, so that whoever asks later learns when the event was emitted.
    pub(crate) fn keep_time(&self) {
        _ = self.time();
    }

    /// Where the event was emitted.
    #[must_use]
    pub fn source(&self) -> Source {
        match self.given().and_then(|given| given.origin.as_ref()) {
            Some(origin) => Source::Remote { origin: Arc::clone(origin) },
            None => Source::Local,
        }
    }

    /// What all events of one story share: the id that the emitter gave, else that of the event whose handler emitted
    /// this one, else this event's own id.
    #[must_use]
    pub fn correlation_id(&self) -> &EventId {
        if let Some(given) = self.given().and_then(|given| given.correlation.as_ref()) {
            return given;
        }
        self.event().correlation.get_or_init(|| match &self.inner.parent {
            Some(parent) => parent.correlation_id().clone(),
            None => self.id().clone(),
        })
    }

    /// The event whose handler emitted this one.
    #[must_use]
    pub fn causation_id(&self) -> Option<&EventId> {
        let given = self.given().and_then(|given| given.causation.as_ref());
        given.or_else(|| self.inner.parent.as_ref().map(Self::id))
    }

    /// What the emitter attached, by name.
    #[must_use]
    pub fn headers(&self) -> &BTreeMap<String, String> {
        static NONE: BTreeMap<String, String> = BTreeMap::new();
        self.given().map_or(&NONE, |given| &given.headers)
    }

    /// How many emits this one is inside of: 0 for an event that no handler emitted (promise B8).
    #[must_use]
    pub fn depth(&self) -> usize {
        self.inner.depth
    }

    /// Spawns `future` on the tokio runtime; events it emits inherit the correlation id and name this event as their
    /// cause.
    ///
    /// # Panics
    /// Outside of a tokio runtime, as [`tokio::spawn`] does.
    pub fn spawn<F>(&self, future: F) -> JoinHandle<F::Output>
    where
        F: Future<Output: Send + 'static> + Send + 'static,
    {
        tokio::spawn(self.carry(future))
    }

    pub(crate) fn carry<F: Future>(&self, future: F) -> InContext<F> {
        ambient::in_context(self.clone(), future)
    }

    pub(crate) fn reach(&self) -> Option<&Arc<Reach>> {
        self.inner.reach.as_ref()
    }

    /// The same event, seen from work with another reach.
    pub(crate) fn with_reach(&self, reach: Reach) -> Self {
        let Inner { version, depth, .. } = *self.inner;
        let inner = Inner {
            name: self.inner.name.clone(),
            version,
            depth,
            parent: self.inner.parent.clone(),
            given: self.inner.given.clone(),
            reach: Some(Arc::new(reach)),
            twin: Some(self.clone()),
            ..Inner::default()
        };
        Self { inner: Arc::new(inner) }
    }

    /// Where the ids and the time are.
    fn event(&self) -> &Inner {
        self.inner.twin.as_ref().map_or(&*self.inner, |twin| &*twin.inner)
    }

    fn given(&self) -> Option<&Given> {
        self.inner.given.as_deref()
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context").field("name", &self.name()).field("depth", &self.depth()).finish_non_exhaustive()
    }
}
