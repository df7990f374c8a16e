//! What is particular to NATS, each case with servers of its own.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a helper of tests fails the test")]

mod closing;
mod cluster;
mod delivery;
mod login;
mod logs;
mod node;
mod outages;
mod subjects;
mod tls;
