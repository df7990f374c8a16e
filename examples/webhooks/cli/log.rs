//! [`init_log`]: what is logged, and where to.

use std::io::{self, IsTerminal};

use tracing_subscriber::EnvFilter;

use crate::cli::Terminal;

/// Without `RUST_LOG`, what happens once in a run is shown, and what happens with each event is not. The bus logs every
/// failure of a handler; this program expects many, and its summary counts them by reason.
const DEFAULT: &str = "info,oyez=off";

pub fn init_log(terminal: &Terminal) {
    let filter = std::env::var("RUST_LOG").ok().filter(|filter| !filter.is_empty());
    let terminal = terminal.clone();
    tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::new(filter.as_deref().unwrap_or(DEFAULT)))
        .with_writer(move || terminal.clone())
        .with_ansi(io::stderr().is_terminal())
        .without_time()
        .with_target(false)
        .init();
}
