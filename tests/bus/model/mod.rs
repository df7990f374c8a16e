//! A random program of subscribing, removing, emitting, posting and failing, some of it inside of handlers, against a
//! simple model: what starts in which order, what each call returns, and every count.

mod program;
mod real;
mod reference;

use std::sync::LazyLock;

use oyez::Dispatch;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use tokio::runtime::Runtime;

use crate::flavour::Flavour;
use program::{Program, program};
use reference::Reference;

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Record {
    Started { subscription: usize, name: String, depth: usize },
    Removed(usize),
    Emitted { delivered: usize, failed: usize },
    TooDeep,
    Posted,
}

/// What can be seen when the program is over.
#[derive(Debug, PartialEq, Eq)]
struct Counts {
    /// Subscription, calls and failures of those that are on.
    on: Vec<(usize, u64, u64)>,
    /// For each name, how many handlers it reaches.
    reached: Vec<usize>,
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { rng_seed: RngSeed::Fixed(4), failure_persistence: None, ..ProptestConfig::with_cases(cases) }
}

fn check(program: &Program) -> Result<(), TestCaseError> {
    static RUNTIMES: LazyLock<[Runtime; 2]> = LazyLock::new(|| Flavour::ALL.map(Flavour::runtime));
    let expected = Reference::run(program);
    for runtime in &*RUNTIMES {
        let real = runtime.block_on(async { tokio::spawn(real::run(program.clone())).await.unwrap() });
        prop_assert_eq!(&real, &expected);
    }
    Ok(())
}

proptest! {
    #![proptest_config(config(1500))]

    #[test]
    fn b01_b04_b05_b06_b08_a_random_program_does_what_a_simple_model_does(program in program(Dispatch::Concurrent)) {
        check(&program)?;
    }

    /// With handlers that wait; they do not post, for what is posted then starts whenever it is its turn.
    #[test]
    fn b02_b04_b05_b06_b08_a_sequential_program_does_what_a_simple_model_does(
        program in program(Dispatch::Sequential),
    ) {
        check(&program)?;
    }
}

#[test]
fn the_programs_reach_every_corner() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::new(config(1));
    let strategy = program(Dispatch::Concurrent);
    let mut records = Vec::new();
    for _ in 0..300 {
        records.extend(Reference::run(&strategy.new_tree(&mut runner).unwrap().current()).0);
    }
    let share = |wanted: fn(&Record) -> bool| records.iter().filter(|record| wanted(record)).count();
    assert!(share(|record| matches!(record, Record::Started { depth: 0, .. })) > 500);
    assert!(share(|record| matches!(record, Record::Started { depth: 2.., .. })) > 500);
    assert!(share(|record| matches!(record, Record::Emitted { delivered: 2.., failed: 1.. })) > 50);
    assert!(share(|record| *record == Record::TooDeep) > 50);
    assert!(share(|record| *record == Record::Posted) > 50);
    assert!(share(|record| *record == Record::Removed(1)) > 50);
    assert!(share(|record| *record == Record::Removed(0)) > 50);
    assert!(share(|record| matches!(record, Record::Removed(2..))) > 5);
}
