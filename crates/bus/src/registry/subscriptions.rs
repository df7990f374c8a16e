//! [`Registry`]: every subscription of a bus, and the lists made from them.

use std::any::Any;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::runtime::Handle;

use crate::any_event::AnyEvent;
use crate::dispatch::{AnySubscriber, Entry, Options, Record, Run, Subscriber, Typed};
use crate::event::Event;
use crate::id::SubscriptionId;
use crate::layer::{Layer, LayerStack};
use crate::pattern::Pattern;
use crate::registry::Listener;
use crate::registry::names::{Named, NamedHandlers, Names};
use crate::registry::owner::Owner;
use crate::registry::patterns::Patterns;
use crate::registry::table::{Place, Table};
use crate::registry::topic::{AnyTopic, Retired, Topic};

#[derive(Default)]
pub(crate) struct Registry {
    state: Mutex<State>,
    table: Table,
    names: Names,
    layers: Arc<LayerStack>,
    /// Whether a type that was never seen here may have handlers.
    has_patterns: AtomicBool,
}

#[derive(Default)]
struct State {
    subscriptions: BTreeMap<SubscriptionId, Subscription>,
    patterns: Patterns,
    /// The table indexes of the types seen here, by name.
    topics: HashMap<&'static str, Vec<usize>>,
}

struct Subscription {
    record: Arc<Record>,
    subscribers: Vec<Arc<dyn AnySubscriber>>,
    wants: Wants,
}

/// What a subscription is for.
enum Wants {
    Types(Vec<usize>),
    Names(Pattern),
}

/// A new subscription on its way into the registry; made when its id is known.
pub(crate) struct Enrolment<'r> {
    registry: &'r Registry,
    state: MutexGuard<'r, State>,
    pub(crate) record: Arc<Record>,
    subscribers: Vec<Arc<dyn AnySubscriber>>,
    types: Vec<usize>,
    retired: Vec<Retired>,
}

impl Registry {
    /// The topic of `E`, if it has a handler.
    #[inline]
    pub(crate) fn heard<E: Event>(&self) -> Option<&Topic<E>> {
        let place = match self.table.get(E::slot().index()) {
            Some(place) => place,
            None if !self.has_patterns.load(Ordering::Acquire) => return None,
            None => self.first_seen::<E>(),
        };
        if place.is_idle() { None } else { as_topic(place) }
    }

    #[cold]
    fn first_seen<E: Event>(&self) -> &Place {
        let mut state = self.lock();
        self.place::<E>(&mut state)
    }

    fn place<E: Event>(&self, state: &mut State) -> &Place {
        let index = E::slot().index();
        self.table.get_or_insert(index, || {
            state.topics.entry(E::NAME).or_default().push(index);
            Box::new(Topic::<E>::new(state.patterns.matching(E::NAME), self.layers.get()))
        })
    }

    /// Begins a subscription to event types.
    pub(crate) fn enrol(&self, name: Option<Arc<str>>, target: Arc<str>, once: bool) -> Enrolment<'_> {
        let state = self.lock();
        let record = state.next_record(name, target, once);
        let (subscribers, types, retired) = (Vec::new(), Vec::new(), Vec::new());
        Enrolment { registry: self, state, record, subscribers, types, retired }
    }

    /// Subscribes to the names of a pattern.
    pub(crate) fn enrol_pattern(
        &self,
        pattern: Pattern,
        run: Run<AnyEvent>,
        options: Options<AnyEvent>,
        owner: Owner,
    ) -> Arc<Record> {
        let mut state = self.lock();
        let record = state.next_record(options.name.clone(), pattern.as_str().into(), options.once);
        let subscriber = Arc::new(Subscriber::new(Arc::clone(&record), run, options, owner));
        state.patterns.insert(&pattern, Arc::clone(&subscriber));
        self.has_patterns.store(true, Ordering::Release);
        let mut retired = self.change_topics(&state, &pattern, |topic| topic.append_pattern(Arc::clone(&subscriber)));
        retired.extend(self.forget_names(&pattern));
        let subscribers = vec![subscriber as Arc<dyn AnySubscriber>];
        let subscription = Subscription { record: Arc::clone(&record), subscribers, wants: Wants::Names(pattern) };
        state.subscriptions.insert(record.id, subscription);
        drop(state);
        drop(retired);
        record
    }

    /// Takes a subscription out of every list. Whether it was on is its record's to say.
    pub(crate) fn remove(&self, id: SubscriptionId) {
        let mut state = self.lock();
        let Some(subscription) = state.subscriptions.remove(&id) else { return };
        let retired = match &subscription.wants {
            Wants::Types(types) => {
                let places = types.iter().filter_map(|&index| self.table.get(index));
                places.flat_map(|place| self.change_topic(place, |topic| topic.remove(id))).collect()
            }
            Wants::Names(pattern) => {
                state.patterns.remove(pattern, id);
                self.has_patterns.store(!state.patterns.is_empty(), Ordering::Release);
                let mut retired = self.change_topics(&state, pattern, |topic| topic.remove(id));
                retired.extend(self.forget_names(pattern));
                retired
            }
        };
        drop(state);
        if subscription.record.is_off() {
            subscription.subscribers.iter().for_each(|subscriber| subscriber.end());
        }
        drop((retired, subscription));
    }

    /// Turns the subscription off and takes it out; true if it was on.
    pub(crate) fn off(&self, id: SubscriptionId) -> bool {
        let record = self.lock().subscriptions.get(&id).map(|subscription| Arc::clone(&subscription.record));
        let was_on = record.is_some_and(|record| record.turn_off());
        if was_on {
            self.remove(id);
        }
        was_on
    }

    /// The ids of all subscriptions.
    pub(crate) fn ids(&self) -> Vec<SubscriptionId> {
        self.lock().subscriptions.keys().copied().collect()
    }

    /// The ids of the subscriptions to `E` itself, without those of patterns.
    pub(crate) fn ids_of<E: Event>(&self) -> Vec<SubscriptionId> {
        let _state = self.lock();
        let place = self.table.get(E::slot().index());
        let exact = place.into_iter().flat_map(|place| place.topic.exact());
        exact.map(|subscriber| subscriber.record().id).collect()
    }

    /// What a name means to an event that comes by it.
    pub(crate) fn named(&self, name: &str) -> Arc<Named> {
        if let Some(named) = self.names.get(name) {
            return named;
        }
        let state = self.lock();
        let named = Arc::new(self.resolve(&state, name));
        let evicted = self.names.insert(Arc::clone(&named));
        drop(state);
        drop(evicted);
        named
    }

    fn resolve(&self, state: &State, name: &str) -> Named {
        let exact = self.topics_of(state, name).flat_map(AnyTopic::exact);
        let by_pattern = state.patterns.matching(name).into_iter().map(|found| found as Arc<dyn AnySubscriber>);
        let mut entries: Vec<_> = exact.chain(by_pattern).collect();
        entries.sort_by_key(|entry| Entry::record(entry).id);
        let mut types = state.topics.get(name).cloned().unwrap_or_default();
        types.retain(|&index| self.topic(index).is_some_and(AnyTopic::has_exact));
        Named {
            name: name.into(),
            handlers: Arc::new(NamedHandlers::new(entries, self.layers.get())),
            types: types.into(),
        }
    }

    /// The types of a name that have handlers of their own.
    pub(crate) fn types_heard<'s>(&'s self, named: &'s Named) -> impl Iterator<Item = &'s dyn AnyTopic> + Clone {
        named.types.iter().filter_map(|&index| self.topic(index))
    }

    fn topic(&self, index: usize) -> Option<&dyn AnyTopic> {
        self.table.get(index).map(|place| &*place.topic)
    }

    /// Shows the types seen here that bear `name`. They are never removed, so no lock is held meanwhile.
    pub(crate) fn types_of(&self, name: &str) -> Vec<&dyn AnyTopic> {
        let state = self.lock();
        let topics = self.topics_of(&state, name).collect();
        drop(state);
        topics
    }

    fn topics_of<'s>(&'s self, state: &State, name: &str) -> impl Iterator<Item = &'s dyn AnyTopic> + use<'s> {
        let indexes = state.topics.get(name).cloned().unwrap_or_default();
        indexes.into_iter().filter_map(|index| self.topic(index))
    }

    pub(crate) fn add_layer(&self, layer: Arc<dyn Layer>) {
        let state = self.lock();
        let layers = self.layers.push(layer);
        let places = state.topics.values().flatten().filter_map(|&index| self.table.get(index));
        let retired: Vec<_> = places.map(|place| place.topic.set_layers(Arc::clone(&layers))).collect();
        let evicted = self.names.forget(|_| true);
        drop(state);
        drop((retired, evicted));
    }

    /// Ends streams and waits: the bus was shut down.
    pub(crate) fn end_backlogs(&self) {
        let state = self.lock();
        let subscribers: Vec<_> = state.subscriptions.values().flat_map(|one| one.subscribers.clone()).collect();
        drop(state);
        subscribers.iter().for_each(|subscriber| subscriber.end_backlog());
    }

    /// Makes sure that every queue is worked off.
    pub(crate) fn resume(&self, runtime: &Handle) {
        let state = self.lock();
        let subscribers: Vec<_> = state.subscriptions.values().flat_map(|one| one.subscribers.clone()).collect();
        drop(state);
        subscribers.into_iter().for_each(|subscriber| subscriber.resume(runtime));
    }

    pub(crate) fn layer_stack(&self) -> &Arc<LayerStack> {
        &self.layers
    }

    /// How many handlers an event of type `E` reaches.
    pub(crate) fn count<E: Event>(&self) -> usize {
        let state = self.lock();
        match self.table.get(E::slot().index()) {
            Some(place) => place.topic.len(),
            None => state.patterns.matching(E::NAME).len(),
        }
    }

    /// How many handlers an event called `name` can reach.
    pub(crate) fn count_named(&self, name: &str) -> usize {
        let state = self.lock();
        let list = self.resolve(&state, name);
        drop(state);
        list.handlers.entries.len()
    }

    pub(crate) fn subscriptions(&self) -> usize {
        self.lock().subscriptions.len()
    }

    pub(crate) fn remembered_names(&self) -> usize {
        self.names.len()
    }

    pub(crate) fn listeners(&self) -> Vec<Listener> {
        let state = self.lock();
        let mut passes: HashMap<SubscriptionId, u64> = HashMap::new();
        let mut see = |record: &Record, counted: u64| *passes.entry(record.id).or_default() += counted;
        let places = state.topics.values().flatten().filter_map(|&index| self.table.get(index));
        places.for_each(|place| place.topic.for_each_pass(&mut see));
        for list in self.names.lists() {
            let counted = list.handlers.passes();
            list.handlers.entries.iter().for_each(|entry| see(Entry::record(entry), counted));
        }
        let listener = |subscription: &Subscription| {
            let passes = passes.get(&subscription.record.id).copied().unwrap_or(0);
            Listener::of(&subscription.record, &subscription.subscribers, passes)
        };
        state.subscriptions.values().map(listener).collect()
    }

    /// Changes one topic's list.
    fn change_topic(&self, place: &Place, change: impl FnOnce(&dyn AnyTopic) -> Retired) -> Vec<Retired> {
        let mut retired = vec![change(&*place.topic)];
        place.update();
        retired.extend(self.names.forget_one(place.topic.name()).into_iter().map(retire));
        retired
    }

    /// Changes the list of every topic whose name the pattern matches.
    fn change_topics(
        &self,
        state: &State,
        pattern: &Pattern,
        change: impl Fn(&dyn AnyTopic) -> Retired,
    ) -> Vec<Retired> {
        let matching: Vec<_> = if pattern.is_literal() {
            state.topics.get(pattern.as_str()).into_iter().flatten().copied().collect()
        } else {
            let topics = state.topics.iter().filter(|(name, _)| pattern.matches(name));
            topics.flat_map(|(_, indexes)| indexes.iter().copied()).collect()
        };
        let places = matching.into_iter().filter_map(|index| self.table.get(index));
        places.flat_map(|place| self.change_topic(place, &change)).collect()
    }

    fn forget_names(&self, pattern: &Pattern) -> Vec<Retired> {
        let forgotten = if pattern.is_literal() {
            self.names.forget_one(pattern.as_str())
        } else {
            self.names.forget(|name| pattern.matches(name))
        };
        forgotten.into_iter().map(retire).collect()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn next_record(&self, name: Option<Arc<str>>, target: Arc<str>, once: bool) -> Arc<Record> {
        Arc::new(Record::new(SubscriptionId::next(), name, target, once))
    }
}

impl Enrolment<'_> {
    /// Adds the handler for one event type.
    pub(crate) fn add<E: Event>(&mut self, run: Run<Arc<E>>, options: Options<Arc<E>>, owner: Owner) {
        let subscriber = Arc::new(Subscriber::new(Arc::clone(&self.record), run, options, owner));
        let place = self.registry.place::<E>(&mut self.state);
        if let Some(topic) = as_topic::<E>(place) {
            let entry = Typed::Exact(Arc::clone(&subscriber));
            self.retired.extend(self.registry.change_topic(place, |_| topic.append(entry)));
        }
        self.subscribers.push(subscriber);
        self.types.push(E::slot().index());
    }

    /// Makes the subscription known, and drops what was replaced when the lock is free.
    pub(crate) fn finish(self) -> Arc<Record> {
        let Self { mut state, record, subscribers, types, retired, .. } = self;
        let subscription = Subscription { record: Arc::clone(&record), subscribers, wants: Wants::Types(types) };
        state.subscriptions.insert(record.id, subscription);
        drop(state);
        drop(retired);
        record
    }
}

fn as_topic<E: Event>(place: &Place) -> Option<&Topic<E>> {
    (&*place.topic as &dyn Any).downcast_ref()
}

fn retire(list: Arc<Named>) -> Retired {
    Box::new(list)
}
