//! [`Patterns`]: the pattern subscriptions, those for one name found by that name.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::any_event::AnyEvent;
use crate::dispatch::Subscriber;
use crate::id::SubscriptionId;
use crate::pattern::Pattern;

type ByPattern = Arc<Subscriber<AnyEvent>>;

#[derive(Default)]
pub(crate) struct Patterns {
    wild: BTreeMap<SubscriptionId, (Pattern, ByPattern)>,
    literal: HashMap<Box<str>, BTreeMap<SubscriptionId, ByPattern>>,
}

impl Patterns {
    pub(crate) fn insert(&mut self, pattern: &Pattern, subscriber: ByPattern) {
        let id = subscriber.record.id;
        if pattern.is_literal() {
            self.literal.entry(pattern.as_str().into()).or_default().insert(id, subscriber);
        } else {
            self.wild.insert(id, (pattern.clone(), subscriber));
        }
    }

    pub(crate) fn remove(&mut self, pattern: &Pattern, id: SubscriptionId) {
        self.wild.remove(&id);
        if let Some(subscribers) = self.literal.get_mut(pattern.as_str()) {
            subscribers.remove(&id);
            if subscribers.is_empty() {
                self.literal.remove(pattern.as_str());
            }
        }
    }

    /// The subscriptions that want `name`, in the order of their ids.
    pub(crate) fn matching(&self, name: &str) -> Vec<ByPattern> {
        let wild = self.wild.values().filter(|(pattern, _)| pattern.matches(name)).map(|(_, subscriber)| subscriber);
        let literal = self.literal.get(name).into_iter().flat_map(BTreeMap::values);
        let mut found: Vec<_> = wild.chain(literal).cloned().collect();
        found.sort_unstable_by_key(|subscriber| subscriber.record.id);
        found
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.wild.is_empty() && self.literal.is_empty()
    }
}
