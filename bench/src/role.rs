//! [`Role`]: what this program does when it has started itself.

use clap::Args;
use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::node::Node;
use crate::{guard, soak, transports};

#[derive(Args)]
pub(crate) struct Options {
    /// The role, as JSON
    role: String,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Role {
    /// Holds a server.
    Guard { program: String, args: Vec<String> },
    /// Counts the events that a bus hears.
    Listen(Node),
    /// Counts the messages that a raw client hears.
    ListenRaw(Node),
    /// The nodes that emit in a soak.
    SoakEmitter(Node),
    /// A node that listens in a soak.
    SoakListener(Node),
}

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    match serde_json::from_str(&options.role)? {
        Role::Guard { program, args } => guard::run(&program, &args),
        Role::Listen(node) => transports::listen(&node),
        Role::ListenRaw(node) => transports::listen_raw(&node),
        Role::SoakEmitter(node) => soak::emit(&node),
        Role::SoakListener(node) => soak::listen(&node),
    }
}
