//! `bevy_ecs`: global observers, the event system of a game engine.

use std::hint::black_box;

use bevy_ecs::event::{Event, GlobalTrigger};
use bevy_ecs::observer::On;
use bevy_ecs::world::World;

use crate::event::Tick;
use crate::subject::{Group, Row};
use crate::workers::Workers;

impl Event for Tick {
    type Trigger<'a> = GlobalTrigger;
}

pub(super) fn group() -> Group {
    let about = "bevy: `World::trigger` and global observers of `bevy_ecs`; synchronous handlers on one thread that \
                 owns the world, no isolation, no order among observers.";
    let subjects = [1, 4, 10, 16].map(|handlers| {
        let mut world = World::new();
        for _ in 0..handlers {
            world.add_observer(|tick: On<Tick>| {
                black_box(tick.n);
            });
        }
        world.flush();
        Workers::blocking(Row::new(format!("bevy_{handlers}"), handlers), move |times| {
            for n in 0..times {
                world.trigger(Tick { n });
            }
        })
    });
    Group { about, subjects: subjects.into() }
}
