//! oyez: emits to async and sync handlers, with and without patterns, contexts and handlers that wait.

use std::hint::black_box;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{self, Poll};

use oyez::{AnyEvent, Context, Event, EventBus};

use crate::event::Tick;
use crate::failure::Failure;
use crate::subject::{Group, Row, Subject};
use crate::workers::{Workers, runtime};

pub(super) fn group() -> Result<Group, Failure> {
    let about = "emit, sync: oyez, with async or sync handlers on one type. patterns_2: a `*` and a matching \
                 pattern and nothing else; with_patterns: these two and the async handlers; with_others: two \
                 patterns that do not match. context takes a `Context`, context_id asks it for the event's id; \
                 pending waits once.";
    let mut subjects = Vec::new();
    for handlers in [0, 1, 4, 10, 16] {
        subjects.push(measured(&format!("emit_{handlers}"), handlers, ticking(handlers))?);
    }
    for handlers in [1, 4, 10, 16] {
        subjects.push(measured(&format!("sync_{handlers}"), handlers, sync(handlers))?);
    }
    subjects.push(measured("patterns_2", 2, patterned(ticking(0), &["*", "bench.*"])?)?);
    subjects.push(measured("emit_4_with_patterns_2", 6, patterned(ticking(4), &["*", "bench.*"])?)?);
    subjects.push(measured("emit_4_with_others_2", 4, patterned(ticking(4), &["other.*", "bench.*.more"])?)?);
    for handlers in [1, 4] {
        subjects.push(measured(&format!("context_{handlers}"), handlers, contextual(handlers))?);
    }
    subjects.push(measured("context_id_1", 1, identified())?);
    subjects.push(measured("pending_1", 1, pending())?);
    Ok(Group { about, subjects })
}

fn measured(name: &str, handlers: usize, bus: EventBus) -> Result<Box<dyn Subject>, Failure> {
    Ok(Workers::on(runtime()?, Row::new(name, handlers), async move |times| {
        emit_many(&bus, handlers, times, |n| Tick { n }).await;
    }))
}

/// Emits `times` events, each of which has to reach all `handlers`.
pub(super) async fn emit_many<E: Event>(bus: &EventBus, handlers: usize, times: u64, make: impl Fn(u64) -> E) {
    let (mut admitted, mut delivered) = (0, 0);
    for n in 0..times {
        if let Ok(emitted) = bus.emit(make(n)).await {
            admitted += 1;
            delivered += emitted.delivered() as u64;
        }
    }
    assert_eq!((admitted, delivered), (times, times * handlers as u64));
}

pub(super) fn ticking(handlers: usize) -> EventBus {
    let bus = EventBus::new();
    for _ in 0..handlers {
        bus.on(async |tick: Arc<Tick>| {
            black_box(tick.n);
        });
    }
    bus
}

fn sync(handlers: usize) -> EventBus {
    let bus = EventBus::new();
    for _ in 0..handlers {
        bus.on_sync(|tick: &Tick, _| {
            black_box(tick.n);
        });
    }
    bus
}

fn patterned(bus: EventBus, patterns: &[&str]) -> Result<EventBus, Failure> {
    for pattern in patterns {
        bus.on_pattern(pattern, async |event: AnyEvent| {
            black_box(event.name());
        })?;
    }
    Ok(bus)
}

fn contextual(handlers: usize) -> EventBus {
    let bus = EventBus::new();
    for _ in 0..handlers {
        bus.on(async |tick: Arc<Tick>, _: Context| {
            black_box(tick.n);
        });
    }
    bus
}

fn identified() -> EventBus {
    let bus = EventBus::new();
    bus.on(async |tick: Arc<Tick>, cx: Context| {
        black_box((tick.n, cx.id()));
    });
    bus
}

fn pending() -> EventBus {
    let bus = EventBus::new();
    bus.on(async |tick: Arc<Tick>| {
        Once::default().await;
        black_box(tick.n);
    });
    bus
}

/// Pending once, and awake at once.
#[derive(Default)]
struct Once {
    polled: bool,
}

impl Future for Once {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut task::Context<'_>) -> Poll<()> {
        if self.polled {
            return Poll::Ready(());
        }
        self.polled = true;
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}
