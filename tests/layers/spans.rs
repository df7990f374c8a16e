//! The layer `trace`: one `tracing` span for each handler call.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use oyez::layer::trace;
use oyez::{Context, EventBus};
use serde_json::json;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing_subscriber::layer::SubscriberExt;

use crate::Tick;

#[tokio::test]
async fn b16_trace_makes_one_span_for_each_call_without_the_payload() {
    let spans = Spans::default();
    let _logging = tracing::subscriber::set_default(tracing_subscriber::registry().with(spans.clone()));
    let bus = EventBus::new();
    bus.layer(trace());
    let own = bus.clone();
    bus.subscribe::<Tick>().name("good").handle(move |tick: Arc<Tick>| {
        let own = own.clone();
        async move {
            tokio::task::yield_now().await;
            if tick.0 == 987_654 {
                own.emit_json("layer.nested", json!(1)).await.unwrap();
            }
        }
    });
    let ids = Arc::new(Mutex::new(Vec::new()));
    let into = Arc::clone(&ids);
    bus.subscribe_pattern("layer.*").unwrap().name("bad").handle_sync(move |_, cx: &Context| {
        into.lock().unwrap().push(cx.id().to_string());
        Err("it failed")
    });
    bus.emit(Tick(987_654)).await.unwrap();

    let ids = ids.lock().unwrap().clone();
    let spans = spans.0.lock().unwrap();
    let told = |index: usize, field: &str| spans[index].get(field).map(String::as_str);
    assert_eq!(spans.len(), 3);
    let expected =
        [("layer.tick", "0", "1", "good"), ("layer.tick", "0", "2", "bad"), ("layer.nested", "1", "2", "bad")];
    for (index, (event, depth, subscription, handler)) in expected.into_iter().enumerate() {
        assert_eq!(told(index, "span"), Some("handler"));
        assert_eq!(told(index, "event"), Some(event));
        assert_eq!(told(index, "depth"), Some(depth));
        assert_eq!(told(index, "subscription"), Some(subscription));
        assert_eq!(told(index, "handler"), Some(handler));
        assert_eq!(told(index, "id"), Some(ids[usize::from(index == 2)].as_str()));
        assert_eq!(told(index, "failed").is_some(), handler == "bad");
    }
    assert!(!spans.iter().any(|span| span.values().any(|value| value.contains("987654"))), "{spans:?}");
}

/// The fields of each span that was made, with its name as `span`.
#[derive(Clone, Default)]
struct Spans(Arc<Mutex<Vec<BTreeMap<String, String>>>>);

impl<S> tracing_subscriber::Layer<S> for Spans
where
    S: tracing::Subscriber + for<'s> tracing_subscriber::registry::LookupSpan<'s>,
{
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, cx: tracing_subscriber::layer::Context<'_, S>) {
        let mut fields = Fields(BTreeMap::from([("span".to_owned(), attributes.metadata().name().to_owned())]));
        attributes.record(&mut fields);
        let mut spans = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(span) = cx.span(id) {
            span.extensions_mut().insert(spans.len());
        }
        spans.push(fields.0);
    }

    fn on_record(&self, id: &Id, record: &Record<'_>, cx: tracing_subscriber::layer::Context<'_, S>) {
        let Some(index) = cx.span(id).and_then(|span| span.extensions().get::<usize>().copied()) else { return };
        let mut fields = Fields(BTreeMap::new());
        record.record(&mut fields);
        self.0.lock().unwrap_or_else(PoisonError::into_inner)[index].extend(fields.0);
    }
}

struct Fields(BTreeMap<String, String>);

impl Visit for Fields {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name().to_owned(), value.to_owned());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.0.insert(field.name().to_owned(), format!("{value:?}"));
    }
}
