//! [`Weight`]: what a process holds.

use std::fs;

use serde::{Deserialize, Serialize};
use tokio::runtime::Runtime;

use crate::failure::Failure;

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct Weight {
    /// Resident memory, in KiB.
    pub(super) memory: u64,
    /// Tasks of the program's runtime.
    pub(super) tasks: u64,
    pub(super) threads: u64,
}

/// Memory may grow so much between the two times it is weighed, and tasks and threads not at all.
const GROWTH: f64 = 1.5;

impl Weight {
    pub(super) fn of(runtime: &Runtime) -> Result<Self, Failure> {
        let status = fs::read_to_string("/proc/self/status")?;
        let field = |name| field(&status, name).ok_or(format!("the system does not tell {name}"));
        let tasks = runtime.metrics().num_alive_tasks() as u64;
        Ok(Self { memory: field("VmRSS")?, tasks, threads: field("Threads")? })
    }

    pub(super) fn has_grown_to(self, end: Self) -> bool {
        end.memory as f64 > self.memory as f64 * GROWTH || end.tasks > self.tasks || end.threads > self.threads
    }
}

fn field(status: &str, name: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_found_by_its_whole_name() {
        let status = "VmRSSX:\t1 kB\nVmRSS:\t  4632 kB\nThreads:\t3\n";
        assert_eq!(
            (field(status, "VmRSS"), field(status, "Threads"), field(status, "Vm")),
            (Some(4632), Some(3), None)
        );
    }

    #[test]
    fn memory_may_grow_a_little_and_tasks_not_at_all() {
        let begin = Weight { memory: 1000, tasks: 5, threads: 3 };
        assert!(!begin.has_grown_to(Weight { memory: 1500, ..begin }));
        assert!(begin.has_grown_to(Weight { memory: 1501, ..begin }));
        assert!(begin.has_grown_to(Weight { tasks: 6, ..begin }));
        assert!(begin.has_grown_to(Weight { threads: 4, ..begin }));
    }
}
