//! [`Faults`]: what goes wrong on the way, by chance and yet the same at every run.

use std::collections::VecDeque;

use bytes::Bytes;
use fastrand::Rng;

/// What goes wrong with the frames on their way to one node. Chances are from 0 to 1; all are 0 at first.
#[derive(Debug, Clone)]
pub struct Faults {
    rng: Rng,
    drop: f64,
    duplicate: f64,
    delay: f64,
    disconnect: f64,
    /// Frames that are held back, and for how many others.
    held: VecDeque<(u8, Bytes)>,
}

/// What became of a frame.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Passed {
    /// These arrive now, in this order.
    Arrive(Vec<Bytes>),
    /// The connection breaks, and the frame is lost.
    Disconnect,
}

impl Default for Faults {
    fn default() -> Self {
        Self::seeded(0)
    }
}

impl Faults {
    /// No faults yet. The same seed and the same frames give the same faults.
    #[must_use]
    pub fn seeded(seed: u64) -> Self {
        let rng = Rng::with_seed(seed);
        Self { rng, drop: 0.0, duplicate: 0.0, delay: 0.0, disconnect: 0.0, held: VecDeque::new() }
    }

    /// The chance that a frame is lost.
    #[must_use]
    pub fn drop(mut self, chance: f64) -> Self {
        self.drop = chance;
        self
    }

    /// The chance that a frame arrives twice.
    #[must_use]
    pub fn duplicate(mut self, chance: f64) -> Self {
        self.duplicate = chance;
        self
    }

    /// The chance that a frame arrives behind one to three that were sent after it.
    #[must_use]
    pub fn delay(mut self, chance: f64) -> Self {
        self.delay = chance;
        self
    }

    /// The chance that the connection breaks at a frame.
    #[must_use]
    pub fn disconnect(mut self, chance: f64) -> Self {
        self.disconnect = chance;
        self
    }

    pub(super) fn pass(&mut self, frame: Bytes) -> Passed {
        if self.happens(self.disconnect) {
            return Passed::Disconnect;
        }
        let mut arrive = Vec::new();
        if !self.happens(self.drop) {
            if self.happens(self.delay) {
                self.held.push_back((self.rng.u8(1..=3), frame));
                return Passed::Arrive(arrive);
            }
            let copies = if self.happens(self.duplicate) { 2 } else { 1 };
            arrive.extend(std::iter::repeat_n(frame, copies));
        }
        for (others, frame) in std::mem::take(&mut self.held) {
            match others {
                0 | 1 => arrive.push(frame),
                others => self.held.push_back((others - 1, frame)),
            }
        }
        Passed::Arrive(arrive)
    }

    fn happens(&mut self, chance: f64) -> bool {
        chance > 0.0 && self.rng.f64() < chance
    }
}
