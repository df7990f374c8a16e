//! `listen`: prints every event of the others.

use std::error::Error;
use std::time::Duration;

use oyez::{AnyEvent, Context, EventBus, PatternError, Source};

use crate::connect::Place;
use crate::news;
use crate::output::say;
use crate::stop::Stop;

const DEADLINE: Duration = Duration::from_secs(5);

/// More of a payload is not shown.
const SHOWN: usize = 120;

pub async fn run(place: &Place, mut stop: Stop) -> Result<(), Box<dyn Error>> {
    let bus = EventBus::new();
    print_all(&bus)?;
    let link = place.attach(&bus).await?;
    let news = tokio::spawn(news::tell(link.events()));
    say(format_args!("listening on `{}` as {}; Ctrl-C ends", place.prefix(), news::short(bus.instance())));
    stop.asked().await;
    bus.shutdown(DEADLINE).await;
    news.await?;
    say(news::Summary(link.status()));
    Ok(())
}

/// A typed handler hears events of other processes too; this one takes them all, whatever their names.
pub fn print_all(bus: &EventBus) -> Result<(), PatternError> {
    bus.subscribe_pattern("*")?.handle_sync(print);
    Ok(())
}

fn print(event: &AnyEvent, context: &Context) {
    let from = match context.source() {
        Source::Remote { origin } => news::short(&origin),
        _ => "here".to_owned(),
    };
    let payload = event.json().map(|json| json.to_string()).unwrap_or_default();
    say(format_args!("{} from {from}: {}", event.name(), shortened(&payload)));
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
