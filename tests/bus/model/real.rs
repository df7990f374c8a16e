//! Runs a [`Program`] on a bus.

use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use oyez::{AnyEvent, BoxError, Context, EmitError, Emitted, Event, EventBus, Subscription};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::program::{Action, End, FUEL, MAX_DEPTH, NAMES, PATTERNS, Program, TYPES, Target};
use super::{Counts, Record};
use crate::journal::Journal;

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "m.a")]
struct A {}

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "m.b")]
struct B {}

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "m.a.c")]
struct C {}

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "n")]
struct N {}

struct World {
    program: Program,
    bus: EventBus,
    subscriptions: Mutex<Vec<Subscription>>,
    fuel: AtomicUsize,
    records: Journal<Record>,
}

/// What the handlers of one subscription share.
type Handling = Arc<(Arc<World>, usize, usize)>;

pub(crate) async fn run(program: Program) -> (Vec<Record>, Counts) {
    let bus = EventBus::builder().dispatch(program.mode).max_depth(MAX_DEPTH).build();
    let (subscriptions, fuel) = (Mutex::default(), AtomicUsize::new(FUEL));
    let world = Arc::new(World { program, bus, subscriptions, fuel, records: Journal::new() });
    for step in &world.program.steps {
        world.act(step).await;
        world.bus.settle().await;
    }
    let counts = world.counts();
    world.bus.remove_all();
    (world.records.take(), counts)
}

impl World {
    /// Boxed, because handlers act too.
    fn act<'w>(self: &'w Arc<Self>, action: &'w Action) -> Pin<Box<dyn Future<Output = ()> + Send + 'w>> {
        Box::pin(async move {
            let record = match *action {
                Action::On { target, once, script } => return self.subscribe(target, once, script),
                Action::Off(which) => {
                    let found = {
                        let all = self.subscriptions.lock().unwrap();
                        all.get(which % all.len().max(1)).cloned()
                    };
                    Record::Removed(found.map_or(0, |found| usize::from(found.off())))
                }
                Action::RemoveAllOf(index) => Record::Removed(match index {
                    0 => self.bus.remove_all_of::<A>(),
                    1 => self.bus.remove_all_of::<B>(),
                    2 => self.bus.remove_all_of::<C>(),
                    _ => self.bus.remove_all_of::<N>(),
                }),
                Action::RemoveAll => Record::Removed(self.bus.remove_all()),
                Action::Emit { name, typed } => match (name, typed) {
                    (0, true) => emitted(self.bus.emit(A {}).await),
                    (1, true) => emitted(self.bus.emit(B {}).await),
                    (2, true) => emitted(self.bus.emit(C {}).await),
                    (3, true) => emitted(self.bus.emit(N {}).await),
                    _ => emitted(self.bus.emit_json(NAMES[name], json!({})).await),
                },
                Action::Post { name, typed } => posted(match (name, typed) {
                    (0, true) => self.bus.post(A {}),
                    (1, true) => self.bus.post(B {}),
                    (2, true) => self.bus.emit_detached(C {}).map(drop),
                    (3, true) => self.bus.post(N {}),
                    _ => self.bus.emit_json(NAMES[name], json!({})).detach().map(drop),
                }),
            };
            self.records.push(record);
        })
    }

    fn subscribe(self: &Arc<Self>, target: Target, once: bool, script: usize) {
        let mut all = self.subscriptions.lock().unwrap();
        let handling = Arc::new((Arc::clone(self), all.len(), script));
        all.push(match target {
            Target::Type(0) => self.subscribe_to::<A>(once, handling),
            Target::Type(1) => self.subscribe_to::<B>(once, handling),
            Target::Type(2) => self.subscribe_to::<C>(once, handling),
            Target::Type(_) => self.subscribe_to::<N>(once, handling),
            Target::Pattern(index) => {
                let subscribe = self.bus.subscribe_pattern(PATTERNS[index]).unwrap();
                let subscribe = if once { subscribe.once() } else { subscribe };
                subscribe.handle_with(handling, async |handling: Handling, _: AnyEvent, cx: Context| {
                    handle(handling, cx).await
                })
            }
        });
    }

    fn subscribe_to<E: Event>(&self, once: bool, handling: Handling) -> Subscription {
        let subscribe = self.bus.subscribe::<E>();
        let subscribe = if once { subscribe.once() } else { subscribe };
        subscribe.handle_with(handling, async |handling: Handling, _: Arc<E>, cx: Context| handle(handling, cx).await)
    }

    fn counts(&self) -> Counts {
        let all = self.subscriptions.lock().unwrap();
        let place = |id| all.iter().position(|subscription| subscription.id() == id).unwrap();
        let listeners = self.bus.listeners();
        assert_eq!(self.bus.stats().subscriptions, listeners.len());
        assert!(listeners.iter().all(|listener| listener.cancelled == 0));
        let on = listeners.iter().map(|listener| (place(listener.id), listener.calls, listener.failures));
        let typed = [
            self.bus.listener_count::<A>(),
            self.bus.listener_count::<B>(),
            self.bus.listener_count::<C>(),
            self.bus.listener_count::<N>(),
        ];
        assert_eq!(typed.len(), TYPES);
        let named = NAMES.iter().map(|name| self.bus.listener_count_of(name));
        Counts { on: on.collect(), reached: named.chain(typed).collect() }
    }
}

async fn handle(handling: Handling, cx: Context) -> Result<(), BoxError> {
    let (world, subscription, script) = &*handling;
    let (name, depth) = (cx.name().to_owned(), cx.depth());
    world.records.push(Record::Started { subscription: *subscription, name, depth });
    let spend = |fuel: usize| fuel.checked_sub(1);
    if world.fuel.fetch_update(Ordering::SeqCst, Ordering::SeqCst, spend).is_err() {
        return Ok(());
    }
    let script = &world.program.scripts[*script];
    for action in &script.actions {
        if script.waits {
            tokio::task::yield_now().await;
        }
        world.act(action).await;
    }
    match script.end {
        End::Fine => Ok(()),
        End::Error => Err("no".into()),
        End::Panic => std::panic::resume_unwind(Box::new("no")),
    }
}

fn emitted(outcome: Result<Emitted, EmitError>) -> Record {
    match outcome {
        Ok(emitted) => Record::Emitted { delivered: emitted.delivered(), failed: emitted.failures().len() },
        Err(EmitError::TooDeep { limit: MAX_DEPTH }) => Record::TooDeep,
        Err(error) => unreachable!("{error}"),
    }
}

fn posted(outcome: Result<(), EmitError>) -> Record {
    match outcome {
        Ok(()) => Record::Posted,
        Err(EmitError::TooDeep { limit: MAX_DEPTH }) => Record::TooDeep,
        Err(error) => unreachable!("{error}"),
    }
}
