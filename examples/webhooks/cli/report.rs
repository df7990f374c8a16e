//! [`Report`]: what happened, as tables.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use oyez::{EventMap, Link, Listener, Shutdown};

use crate::cli::table::Table;
use crate::events::GitHub;
use crate::feed::Feed;
use crate::meter::{Calls, Meter};
use crate::subscribers::Subscribers;

pub struct Report<'a> {
    pub feed: &'a Feed,
    pub meter: &'a Meter,
    pub subscribers: &'a Subscribers,
    pub links: &'a [Link],
    pub listeners: Vec<Listener>,
    pub shutdown: Shutdown,
    pub took: Duration,
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.events())?;
        writeln!(f, "{}", self.failures())?;
        writeln!(f, "{}", self.handlers())?;
        writeln!(f, "{}", self.latest())?;
        writeln!(f, "{}", self.end())
    }
}

impl Report<'_> {
    /// First the typed events, then the untyped ones.
    fn events(&self) -> Table<6> {
        let mut rows = BTreeMap::<Row, (u64, Option<Calls>)>::new();
        for (name, emitted) in self.subscribers.audit.emitted() {
            rows.entry(Row::of(&name)).or_default().0 += emitted;
        }
        for (name, calls) in self.meter.events() {
            match &mut rows.entry(Row::of(&name)).or_default().1 {
                Some(sum) => sum.merge(&calls),
                none => *none = Some(calls),
            }
        }
        let mut table = Table::new(["event", ">emitted", ">delivered", ">failed", ">p50", ">p99"]);
        for (Row::Typed(name) | Row::Untyped(name), (emitted, calls)) in rows {
            let Some(calls) = calls else { continue };
            let [delivered, failed] = [calls.delivered, calls.failed].map(|count| count.to_string());
            table.row([name, emitted.to_string(), delivered, failed, time(&calls, 0.5), time(&calls, 0.99)]);
        }
        table
    }

    fn failures(&self) -> Table<4> {
        let mut table = Table::new(["failed handler", ">times", ">first line", "why"]);
        for ((handler, reason), failures) in self.meter.failures() {
            let first = failures.first_line.unwrap_or_default();
            table.row([handler, failures.times.to_string(), first, reason]);
        }
        table
    }

    /// Those that are subscribed at the end; a `once` handler that ran is gone.
    fn handlers(&self) -> Table<8> {
        let headings = ["handler", "hears", ">calls", ">failed", ">queued", ">dropped", ">p50", ">p99"];
        let mut table = Table::new(headings);
        for listener in &self.listeners {
            let name = listener.name.as_deref().unwrap_or("-").to_owned();
            let counts = [listener.calls, listener.failures, listener.queue_depth as u64, listener.dropped];
            let [calls, failed, queued, dropped] = counts.map(|count| count.to_string());
            let times = self.meter.handler(listener.id);
            let [p50, p99] =
                [0.5, 0.99].map(|share| times.as_ref().map_or_else(String::new, |calls| time(calls, share)));
            table.row([name, shortened(&listener.target), calls, failed, queued, dropped, p50, p99]);
        }
        table
    }

    fn latest(&self) -> Table<1> {
        let mut table = Table::new(["latest events"]);
        self.subscribers.timeline.latest().into_iter().for_each(|sentence| table.row([sentence]));
        table
    }

    /// What other processes were sent, if there is a link to them.
    fn sent(&self) -> String {
        let each = self.links.iter().map(|link| {
            let status = link.status();
            let lost = status.dropped + status.refused + status.unsendable + status.outbox as u64;
            format!("; over a link: {} sent, {lost} not", status.sent)
        });
        each.collect()
    }

    fn end(&self) -> String {
        let Self { feed, shutdown, took, .. } = self;
        let how = if feed.stopped { "ended early after" } else { "ended after" };
        let left = match shutdown.queued {
            0 => "every queue was worked off".to_owned(),
            given_up => format!("{given_up} queued events were given up"),
        };
        let sent = self.sent();
        format!("deliveries: {}, refused lines: {}; {how} {took:.2?}; {left}{sent}", feed.emitted, feed.refused)
    }
}

/// A row of the events: a typed one has its own, untyped ones share one with their kind.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Row {
    Typed(String),
    Untyped(String),
}

impl Row {
    fn of(name: &str) -> Self {
        if !name.starts_with("github.") || GitHub::NAMES.contains(&name) {
            return Self::Typed(name.to_owned());
        }
        match name.splitn(3, '.').collect::<Vec<_>>()[..] {
            [source, kind, _] => Self::Untyped(format!("{source}.{kind}.*")),
            _ => Self::Untyped(name.to_owned()),
        }
    }
}

fn time(calls: &Calls, share: f64) -> String {
    format!("{:.1?}", calls.within(share))
}

/// What an event map hears are the names of all its events.
fn shortened(names: &str) -> String {
    match names.char_indices().nth(32) {
        Some((end, _)) => format!("{}…", &names[..end]),
        None => names.to_owned(),
    }
}
