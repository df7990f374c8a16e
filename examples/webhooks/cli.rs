//! What any command-line program has: arguments, input, a terminal, a report. Nothing here is about the bus, except what
//! the report reads.

mod args;
mod errors;
mod input;
mod log;
mod output;
mod report;
mod stop;
mod table;
mod terminal;

pub use args::{Args, Command, HELP};
pub use errors::{complain, with_causes};
pub use input::{Lines, open};
pub use log::init_log;
pub use output::print;
pub use report::Report;
pub use stop::Stop;
pub use terminal::Terminal;
