//! A layer by which the panic hook can tell a handler's panic from any other.
//!
//! The bus catches the panic of a handler, counts it and makes it a failure with the panic's message. But Rust's panic
//! hook runs before anybody can catch anything, and prints lines for each: with `--repeat 1000` thousands of lines, about
//! something that the summary tells in one. So that hook stays quiet in handlers, and a panic elsewhere, which nobody
//! expects, prints what it always does.

use std::panic;

use oyez::EventBus;
use oyez::layer::from_fn;

tokio::task_local! {
    static IN_HANDLER: ();
}

pub fn keep_quiet(bus: &EventBus) {
    bus.layer(from_fn(|call, next| IN_HANDLER.scope((), next.run(call))));
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |panic| match IN_HANDLER.try_with(|()| ()) {
        Ok(()) => tracing::debug!("{panic}"),
        Err(_) => usual(panic),
    }));
}
