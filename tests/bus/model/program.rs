//! [`Program`]: what a random test does.

use oyez::Dispatch;
use proptest::prelude::*;

/// The names that are emitted; the first of them have types.
pub(crate) const NAMES: [&str; 6] = ["m.a", "m.b", "m.a.c", "n", "m.x", "n.y.z"];
pub(crate) const TYPES: usize = 4;
pub(crate) const PATTERNS: [&str; 9] = ["*", "**", "m.*", "m.**", "*.a", "*.*.*", "n", "m.a", "m.x"];
pub(crate) const MAX_DEPTH: usize = 3;
/// Most handlers that act; those after them only start.
pub(crate) const FUEL: usize = 60;

#[derive(Debug, Clone)]
pub(crate) struct Program {
    pub(crate) mode: Dispatch,
    /// What handlers do, by number.
    pub(crate) scripts: Vec<Script>,
    /// What happens outside of handlers.
    pub(crate) steps: Vec<Action>,
}

#[derive(Debug, Clone)]
pub(crate) struct Script {
    pub(crate) actions: Vec<Action>,
    /// Whether it waits before each action.
    pub(crate) waits: bool,
    pub(crate) end: End,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Fine,
    Error,
    Panic,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Target {
    /// An index of [`NAMES`] below [`TYPES`].
    Type(usize),
    /// An index of [`PATTERNS`].
    Pattern(usize),
}

#[derive(Debug, Clone)]
pub(crate) enum Action {
    On {
        target: Target,
        once: bool,
        script: usize,
    },
    /// Removes one of the subscriptions so far, counted round.
    Off(usize),
    RemoveAllOf(usize),
    RemoveAll,
    Emit {
        name: usize,
        typed: bool,
    },
    Post {
        name: usize,
        typed: bool,
    },
}

const SCRIPTS: usize = 5;

pub(crate) fn program(mode: Dispatch) -> impl Strategy<Value = Program> {
    let concurrent = mode == Dispatch::Concurrent;
    let end = prop_oneof![6 => Just(End::Fine), 1 => Just(End::Error), 1 => Just(End::Panic)];
    let script = (prop::collection::vec(action(concurrent), 0..4), any::<bool>(), end);
    let script = script.prop_map(move |(actions, waits, end)| Script { actions, waits: waits && !concurrent, end });
    let on = (target(), any::<bool>(), 0..SCRIPTS);
    let on = on.prop_map(|(target, once, script)| Action::On { target, once: once && script == 0, script });
    let steps = (prop::collection::vec(on, 1..8), prop::collection::vec(action(concurrent), 1..12));
    (prop::collection::vec(script, SCRIPTS), steps).prop_map(move |(scripts, (mut steps, rest))| {
        steps.extend(rest);
        Program { mode, scripts, steps }
    })
}

fn action(posts: bool) -> impl Strategy<Value = Action> {
    let emit = (0..NAMES.len(), any::<bool>());
    let post = emit.clone().prop_map(move |(name, typed)| match posts {
        true => Action::Post { name, typed },
        false => Action::Emit { name, typed },
    });
    let on = (target(), any::<bool>(), 0..SCRIPTS);
    prop_oneof![
        12 => on.prop_map(|(target, once, script)| Action::On { target, once, script }),
        9 => any::<prop::sample::Index>().prop_map(|index| Action::Off(index.index(1000))),
        4 => (0..TYPES).prop_map(Action::RemoveAllOf),
        24 => emit.prop_map(|(name, typed)| Action::Emit { name, typed }),
        6 => post,
        1 => Just(Action::RemoveAll),
    ]
}

fn target() -> impl Strategy<Value = Target> {
    prop_oneof![(0..TYPES).prop_map(Target::Type), (0..PATTERNS.len()).prop_map(Target::Pattern)]
}
