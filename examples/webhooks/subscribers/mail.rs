//! A handler that always fails. The others do not notice, and `emit` does not fail either.

use std::io;
use std::sync::Arc;

use oyez::EventBus;

use crate::events::{Commented, IssueOpened};

pub fn subscribe(bus: &EventBus) {
    bus.subscribe::<IssueOpened>().name("mail").handle(async |_: Arc<IssueOpened>| send());
    bus.subscribe::<Commented>().name("mail").handle(async |_: Arc<Commented>| send());
}

fn send() -> io::Result<()> {
    Err(io::Error::new(io::ErrorKind::ConnectionRefused, "mail.example.com does not answer"))
}
