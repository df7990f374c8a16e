//! [`WaitGraph`]: which queues wait for room in which, so that no two wait for each other for ever (promise B14).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct QueueId(u64);

impl QueueId {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// Who waits for whom: a queue is in it as waiting while its handler waits inside an emit. There is one graph for the
/// process, since a handler may emit on another bus. It is touched only where a handler meets a full queue.
#[derive(Debug, Default)]
pub(crate) struct WaitGraph {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// `(waiting, waited for)`, and how many emits wait so.
    edges: BTreeMap<(QueueId, QueueId), usize>,
}

static PROCESS: WaitGraph = WaitGraph { state: Mutex::new(State { edges: BTreeMap::new() }) };

impl WaitGraph {
    pub(crate) fn process() -> &'static Self {
        &PROCESS
    }

    /// Notes that the handler of `waiting` waits for room in `target`, until the edge is dropped. `None` if `target`
    /// itself waits for that handler: then waiting could never end.
    pub(crate) fn try_wait(&self, waiting: QueueId, target: QueueId) -> Option<Edge<'_>> {
        let mut state = self.lock();
        if state.reaches(target, waiting) {
            return None;
        }
        *state.edges.entry((waiting, target)).or_default() += 1;
        Some(Edge { graph: self, key: (waiting, target) })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Whether `from` is `to`, or waits for it, directly or through others.
    fn reaches(&self, from: QueueId, to: QueueId) -> bool {
        let mut seen = BTreeSet::new();
        let mut open = vec![from];
        while let Some(queue) = open.pop() {
            if queue == to {
                return true;
            }
            if seen.insert(queue) {
                let next = self.edges.range((queue, QueueId(0))..=(queue, QueueId(u64::MAX)));
                open.extend(next.map(|((_, target), _)| *target));
            }
        }
        false
    }
}

/// One emit that waits for room.
#[derive(Debug)]
pub(crate) struct Edge<'g> {
    graph: &'g WaitGraph,
    key: (QueueId, QueueId),
}

impl Drop for Edge<'_> {
    fn drop(&mut self) {
        let mut state = self.graph.lock();
        if let Some(count) = state.edges.get_mut(&self.key) {
            *count -= 1;
            if *count == 0 {
                state.edges.remove(&self.key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b14_a_circle_of_waiting_is_refused() {
        let graph = WaitGraph::default();
        let [a, b, c] = [(); 3].map(|()| QueueId::new());
        assert!(graph.try_wait(a, a).is_none(), "a queue never waits for itself");
        let first = graph.try_wait(a, b).unwrap();
        let second = graph.try_wait(b, c).unwrap();
        assert!(graph.try_wait(c, a).is_none());
        assert!(graph.try_wait(a, c).is_some());
        drop(second);
        assert!(graph.try_wait(c, a).is_some());
        drop(first);
        assert!(graph.lock().edges.is_empty());
    }
}
