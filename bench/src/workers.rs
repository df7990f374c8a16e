//! [`Workers`]: loops that emit, each on a thread of its own, all at the same time.

use std::iter;
use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use tokio::runtime::Runtime;

use crate::failure::Failure;
use crate::samples::median;
use crate::subject::{Row, Subject};

/// The figure of a round is the median of slices this long: shorter than a scheduler's time slice, so that what else
/// runs on the machine spoils some of them and not the median.
const SLICE: Duration = Duration::from_millis(1);

/// Emits as many times as it is told.
pub(crate) type EmitMany = Box<dyn FnMut(u64) + Send>;

pub(crate) struct Workers {
    row: [Row; 1],
    workers: Vec<Worker>,
}

struct Worker {
    emit_many: EmitMany,
    /// Emits in a slice; 0 until calibrated.
    slice: u64,
}

impl Workers {
    /// One thread that runs a plain loop.
    pub(crate) fn blocking(row: Row, emit_many: impl FnMut(u64) + Send + 'static) -> Box<dyn Subject> {
        Self::together(row, vec![Box::new(emit_many)])
    }

    /// One thread that runs an async loop on `runtime`.
    pub(crate) fn on(runtime: Runtime, row: Row, emit_many: impl AsyncFnMut(u64) + Send + 'static) -> Box<dyn Subject> {
        Self::together(row, vec![looped(runtime, emit_many)])
    }

    /// One thread for each loop.
    pub(crate) fn together(row: Row, loops: Vec<EmitMany>) -> Box<dyn Subject> {
        let workers = loops.into_iter().map(|emit_many| Worker { emit_many, slice: 0 });
        Box::new(Self { row: [row], workers: workers.collect() })
    }
}

/// The runtime of every async row: one thread, no I/O and no timer to look after.
pub(crate) fn runtime() -> Result<Runtime, Failure> {
    Ok(tokio::runtime::Builder::new_current_thread().build()?)
}

/// An async loop that has a runtime to itself.
pub(crate) fn looped(runtime: Runtime, mut emit_many: impl AsyncFnMut(u64) + Send + 'static) -> EmitMany {
    Box::new(move |times| runtime.block_on(emit_many(times)))
}

impl Subject for Workers {
    fn rows(&self) -> &[Row] {
        &self.row
    }

    fn measure(&mut self, budget: Duration) -> Result<Vec<f64>, Failure> {
        let start = Barrier::new(self.workers.len());
        let measuring = AtomicUsize::new(self.workers.len());
        let per_emit: Option<Vec<f64>> = thread::scope(|scope| {
            let threads: Vec<_> = self
                .workers
                .iter_mut()
                .map(|worker| scope.spawn(|| worker.measure(budget, &start, &measuring)))
                .collect();
            threads.into_iter().map(|thread| thread.join().ok()).collect()
        });
        let emits_per_ns: f64 = per_emit.ok_or("a measured loop panicked")?.into_iter().map(f64::recip).sum();
        Ok(vec![emits_per_ns.recip()])
    }
}

/// Takes what the allocator keeps for this thread: a new thread frees what its parent made for it, which lies beside what
/// the parent made for other threads, and events in that memory would share cache lines with theirs.
fn foreign_memory() -> Vec<Vec<u8>> {
    let sizes = (24..=1024).step_by(16);
    sizes.flat_map(|size| iter::repeat_n(size, 8)).map(Vec::with_capacity).collect()
}

impl Worker {
    fn measure(&mut self, budget: Duration, start: &Barrier, measuring: &AtomicUsize) -> f64 {
        let _foreign = foreign_memory();
        if self.slice == 0 {
            self.calibrate();
        }
        start.wait();
        let begin = Instant::now();
        let mut slices = Vec::new();
        while slices.is_empty() || begin.elapsed() < budget {
            slices.push(self.time(self.slice).as_nanos() as f64 / self.slice as f64);
        }
        measuring.fetch_sub(1, Ordering::Relaxed);
        // The other threads' last slices are to meet the same company as their first.
        while measuring.load(Ordering::Relaxed) > 0 {
            self.time(self.slice);
        }
        let per_emit = median(&mut slices).unwrap_or(f64::NAN);
        // What disturbed the first guess does not last: a slice too short would count the clock in.
        self.slice = ((SLICE.as_nanos() as f64 / per_emit) as u64).max(1);
        per_emit
    }

    /// A first guess; each round corrects it.
    fn calibrate(&mut self) {
        self.slice = 1;
        while self.time(self.slice) < SLICE / 2 {
            self.slice *= 2;
        }
    }

    fn time(&mut self, times: u64) -> Duration {
        let begin = Instant::now();
        (self.emit_many)(times);
        begin.elapsed()
    }
}
