//! [`plan`]: what happens to the server during a soak, and when. No I/O, no clock.

use std::time::Duration;

use fastrand::Rng;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Step {
    /// After the begin.
    pub(super) at: Duration,
    pub(super) what: What,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    /// SIGKILL, and a new one after this time.
    Kill(Duration),
    /// SIGSTOP for this time.
    Freeze(Duration),
    /// Memory and tasks of all processes are taken down.
    Weigh,
}

/// Five kills and two freezes, evenly over the time, with a quiet end; and when to weigh: after the first quarter, and
/// before the end.
pub(super) fn plan(length: Duration, random: &mut Rng) -> Vec<Step> {
    let faults = ['k', 'f', 'k', 'k', 'k', 'f', 'k'].map(|fault| match fault {
        'k' => What::Kill(Duration::from_millis(random.u64(200..2000))),
        _ => What::Freeze(Duration::from_millis(random.u64(1000..3000))),
    });
    let slot = length / 8;
    let faults = (0..).zip(faults).map(|(number, what)| Step { at: slot * number + slot / 2, what });
    let weighing = [slot * 9 / 4, length - Duration::from_millis(100)].map(|at| Step { at, what: What::Weigh });
    let mut steps: Vec<Step> = faults.chain(weighing).collect();
    steps.sort_by_key(|step| step.at);
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_fault_begins_before_the_one_before_has_ended() {
        for (seed, seconds) in (0..100).zip((40..).step_by(7)) {
            let length = Duration::from_secs(seconds);
            let steps = plan(length, &mut Rng::with_seed(seed));
            let end = |step: &Step| match step.what {
                What::Kill(time) | What::Freeze(time) => step.at + time,
                What::Weigh => step.at,
            };
            assert!(steps.windows(2).all(|pair| matches!(pair, [one, next] if end(one) <= next.at)), "{steps:?}");
            assert!(steps.iter().all(|step| end(step) <= length));
        }
    }

    #[test]
    fn there_are_five_kills_and_two_freezes() {
        let steps = plan(Duration::from_secs(120), &mut Rng::with_seed(1));
        let count = |is: fn(&What) -> bool| steps.iter().filter(|step| is(&step.what)).count();
        assert_eq!(count(|what| matches!(what, What::Kill(_))), 5);
        assert_eq!(count(|what| matches!(what, What::Freeze(_))), 2);
        assert_eq!(count(|what| matches!(what, What::Weigh)), 2);
    }
}
