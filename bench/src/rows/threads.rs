//! Two threads that emit at the same time: on the same type, on different types, and two loops that share nothing.

use std::hint::black_box;
use std::sync::Arc;

use oyez::EventBus;

use super::floor;
use super::oyez::{emit_many, ticking};
use crate::event::{Tick, Tock};
use crate::failure::Failure;
use crate::subject::{Group, Row};
use crate::workers::{EmitMany, Workers, looped, runtime};

/// Async handlers of each type, on either side of each ratio.
const HANDLERS: usize = 4;

pub(super) fn group() -> Result<Group, Failure> {
    let about = "one_thread, same_type, two_types: one or two threads, each with a runtime of its own, emit on one \
                 bus to 4 async handlers of each type; one_loop, two_loops: the floor loop, a thread each. ns/emit \
                 is the time between two emits of all threads together.";
    let one = ticking(HANDLERS);
    let same = ticking(HANDLERS);
    let both = ticking(HANDLERS);
    for _ in 0..HANDLERS {
        both.on(async |tock: Arc<Tock>| {
            black_box(tock.n);
        });
    }
    let row = |name| Row::new(name, HANDLERS);
    let subjects = vec![
        Workers::together(row("one_thread"), vec![ticks(one)?]),
        Workers::together(row("same_type"), vec![ticks(same.clone())?, ticks(same)?]),
        Workers::together(row("two_types"), vec![ticks(both.clone())?, tocks(both)?]),
        Workers::together(row("one_loop"), vec![floor_ticks()?]),
        Workers::together(row("two_loops"), vec![floor_ticks()?, floor_ticks()?]),
    ];
    Ok(Group { about, subjects })
}

fn ticks(bus: EventBus) -> Result<EmitMany, Failure> {
    Ok(looped(runtime()?, async move |times| {
        emit_many(&bus, HANDLERS, times, |n| Tick { n }).await;
    }))
}

fn tocks(bus: EventBus) -> Result<EmitMany, Failure> {
    Ok(looped(runtime()?, async move |times| {
        emit_many(&bus, HANDLERS, times, |n| Tock { n }).await;
    }))
}

fn floor_ticks() -> Result<EmitMany, Failure> {
    let floor = floor::ticking(HANDLERS);
    Ok(looped(runtime()?, async move |times| {
        for n in 0..times {
            floor.emit(Tick { n }).await;
        }
    }))
}
