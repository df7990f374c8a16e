//! [`Reference`]: the rules B1, B4, B5, B6 and B8 in the plainest way.

use std::collections::VecDeque;

use super::program::{Action, End, FUEL, MAX_DEPTH, NAMES, PATTERNS, Program, TYPES, Target};
use super::{Counts, Record};
use crate::patterns::naive;

pub(crate) struct Reference<'p> {
    program: &'p Program,
    subscriptions: Vec<Subscription>,
    /// Posted names, with the depth at which they will be handled.
    line: VecDeque<(usize, usize)>,
    fuel: usize,
    records: Vec<Record>,
}

struct Subscription {
    target: Target,
    once: bool,
    script: usize,
    on: bool,
    calls: u64,
    failures: u64,
}

impl Subscription {
    fn wants(&self, name: usize) -> bool {
        self.on
            && match self.target {
                Target::Type(index) => index == name,
                Target::Pattern(index) => naive(PATTERNS[index], NAMES[name]),
            }
    }
}

impl<'p> Reference<'p> {
    pub(crate) fn run(program: &'p Program) -> (Vec<Record>, Counts) {
        let (subscriptions, line, records) = (Vec::new(), VecDeque::new(), Vec::new());
        let mut this = Self { program, subscriptions, line, fuel: FUEL, records };
        for step in &program.steps {
            this.act(step, None);
            while let Some((name, depth)) = this.line.pop_front() {
                this.deliver(name, depth);
            }
        }
        let counts = this.counts();
        (this.records, counts)
    }

    /// `inside` is the depth of the handler that acts.
    fn act(&mut self, action: &Action, inside: Option<usize>) {
        let depth = inside.map_or(0, |depth| depth + 1);
        let record = match *action {
            Action::On { target, once, script } => {
                self.subscriptions.push(Subscription { target, once, script, on: true, calls: 0, failures: 0 });
                return;
            }
            Action::Off(which) => {
                let count = self.subscriptions.len().max(1);
                let found = self.subscriptions.get_mut(which % count);
                Record::Removed(found.map_or(0, |found| usize::from(std::mem::take(&mut found.on))))
            }
            Action::RemoveAllOf(index) => self.remove(|target| matches!(target, Target::Type(of) if of == index)),
            Action::RemoveAll => self.remove(|_| true),
            Action::Post { .. } if depth > MAX_DEPTH => Record::TooDeep,
            Action::Post { name, .. } => {
                self.line.push_back((name, depth));
                Record::Posted
            }
            Action::Emit { .. } if depth > MAX_DEPTH => Record::TooDeep,
            Action::Emit { name, .. } => self.deliver(name, depth),
        };
        self.records.push(record);
    }

    fn remove(&mut self, wanted: impl Fn(Target) -> bool) -> Record {
        let found = self.subscriptions.iter_mut().filter(|subscription| subscription.on && wanted(subscription.target));
        Record::Removed(found.map(|subscription| subscription.on = false).count())
    }

    fn deliver(&mut self, name: usize, depth: usize) -> Record {
        let began_with: Vec<_> =
            (0..self.subscriptions.len()).filter(|index| self.subscriptions[*index].wants(name)).collect();
        let (mut delivered, mut failed) = (0, 0);
        for index in began_with {
            let subscription = &mut self.subscriptions[index];
            if !subscription.on {
                continue;
            }
            subscription.on = !subscription.once;
            subscription.calls += 1;
            self.records.push(Record::Started { subscription: index, name: NAMES[name].to_owned(), depth });
            if self.handle(index, depth) == End::Fine {
                delivered += 1;
            } else {
                failed += 1;
                self.subscriptions[index].failures += 1;
            }
        }
        Record::Emitted { delivered, failed }
    }

    fn handle(&mut self, index: usize, depth: usize) -> End {
        if self.fuel == 0 {
            return End::Fine;
        }
        self.fuel -= 1;
        let script = &self.program.scripts[self.subscriptions[index].script];
        for action in &script.actions {
            self.act(action, Some(depth));
        }
        script.end
    }

    fn reached(&self, name: usize) -> usize {
        self.subscriptions.iter().filter(|subscription| subscription.wants(name)).count()
    }

    fn counts(&self) -> Counts {
        let on = self.subscriptions.iter().enumerate().filter(|(_, subscription)| subscription.on);
        Counts {
            on: on.map(|(index, subscription)| (index, subscription.calls, subscription.failures)).collect(),
            reached: (0..NAMES.len()).chain(0..TYPES).map(|name| self.reached(name)).collect(),
        }
    }
}
