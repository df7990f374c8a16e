//! The soak of the transports: two nodes emit, two processes listen, and the server is killed and frozen.

use std::collections::BTreeMap;
use std::io::{IsTerminal, stderr};
use std::thread::sleep;
use std::time::{Duration, Instant};

use fastrand::Rng;

use super::ledger::Account;
use super::outcome::Outcome;
use super::plan::{Step, What, plan};
use super::weight::Weight;
use super::{emitter, listener};
use crate::backend::Backend;
use crate::child::Child;
use crate::failure::Failure;
use crate::node::Node;
use crate::role::Role;
use crate::server::Server;

const LISTENERS: usize = 2;

/// How long the last events, or the news of their loss, may be on their way.
const SETTLED_WITHIN: Duration = Duration::from_secs(20);

pub(super) fn soak(backend: Backend, length: Duration) -> Result<Outcome, Failure> {
    let mut server = Server::start(backend)?;
    let node = Node { backend, url: server.url(), prefix: "soak".to_owned() };
    let mut listeners = Vec::new();
    for _ in 0..LISTENERS {
        let mut child = Child::start(&Role::SoakListener(node.clone()))?;
        // It answers when it has subscribed.
        count(&mut child)?;
        listeners.push(child);
    }
    let mut emitter = Child::start(&Role::SoakEmitter(node))?;
    _ = emitter.ask::<emitter::Answer>(emitter::Order::Start)?;

    let mut weights: Vec<Vec<Weight>> = Vec::new();
    let begin = Instant::now();
    for Step { at, what } in plan(length, &mut Rng::with_seed(0x6f79_657a)) {
        sleep(at.saturating_sub(begin.elapsed()));
        progress(backend, begin.elapsed(), what);
        match what {
            What::Kill(time) => {
                server.kill()?;
                sleep(time);
                server.start_again()?;
            }
            What::Freeze(time) => {
                server.freeze()?;
                sleep(time);
                server.thaw()?;
            }
            What::Weigh => weights.push(weigh(&mut emitter, &mut listeners)?),
        }
    }

    let emitter::Answer::Closed(emitters) = emitter.ask(emitter::Order::Close)? else {
        return Err("the emitter does not close".into());
    };
    let settling = Instant::now();
    let mut accounts = Vec::new();
    let mut outages = Vec::new();
    for child in &mut listeners {
        let mut heard = count(child)?;
        while !Outcome::is_settled(&emitters, &heard) && settling.elapsed() < SETTLED_WITHIN {
            sleep(Duration::from_millis(20));
            heard = count(child)?;
        }
        let listener::Answer::Closed(ended) = child.ask(listener::Order::Close)? else {
            return Err("a listener does not close".into());
        };
        accounts.push(count(child)?);
        outages.push(ended);
    }
    Ok(Outcome { weights: side_by_side(&weights), emitters, accounts, outages })
}

fn count(child: &mut Child) -> Result<BTreeMap<String, Account>, Failure> {
    match child.ask(listener::Order::Count)? {
        listener::Answer::Accounts(accounts) => Ok(accounts),
        _ => Err("a listener does not count".into()),
    }
}

/// The emitter's process, and then the listeners'.
fn weigh(emitter: &mut Child, listeners: &mut [Child]) -> Result<Vec<Weight>, Failure> {
    let emitter::Answer::Weight(weight) = emitter.ask(emitter::Order::Weigh)? else {
        return Err("the emitter does not tell its weight".into());
    };
    let mut weights = vec![weight];
    for child in listeners {
        let listener::Answer::Weight(weight) = child.ask(listener::Order::Weigh)? else {
            return Err("a listener does not tell its weight".into());
        };
        weights.push(weight);
    }
    Ok(weights)
}

fn side_by_side(weights: &[Vec<Weight>]) -> Vec<(String, Weight, Weight)> {
    let [begin, .., end] = weights else { return Vec::new() };
    let names = std::iter::once("emitter".to_owned()).chain((1..).map(|number| format!("listener {number}")));
    names.zip(begin.iter().zip(end)).map(|(name, (begin, end))| (name, *begin, *end)).collect()
}

fn progress(backend: Backend, at: Duration, what: What) {
    if stderr().is_terminal() {
        eprintln!("{}: {:>5.1} s: {what:?}", backend.name(), at.as_secs_f64());
    }
}
