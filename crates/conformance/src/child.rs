//! [`Child`]: a node in a process of its own.
//!
//! The process is the test binary again, with the name of the test that started it; that test does the child's job when it
//! finds the server's address in its environment. Where a server cannot be reached from another process, the child is a
//! thread with a runtime of its own.

use std::env;
use std::pin::Pin;
use std::process::{Command, Stdio};
use std::thread;

use crate::backend::Backend;
use crate::node::PREFIX;

const ADDRESS: &str = "OYEZ_CONFORMANCE_SERVER";

/// What a child does with its transport.
pub(crate) type Job<B> = fn(<B as Backend>::Transport) -> Pin<Box<dyn Future<Output = ()> + Send>>;

/// A child that was started.
pub(crate) enum Child {
    Process(std::process::Child),
    Thread(thread::JoinHandle<()>),
}

/// Does the job if this is the child's process; whether it is.
pub(crate) async fn is_done<B: Backend>(job: Job<B>) -> bool {
    let Ok(address) = env::var(ADDRESS) else { return false };
    job(B::connect_to(&address, PREFIX).await.expect("the child can connect")).await;
    true
}

impl Child {
    /// Starts a child of the test called `test`, whose first step is [`is_done`] with the same job.
    pub(crate) async fn start<B: Backend>(server: &B, test: &str, job: Job<B>) -> Self {
        let Some(address) = server.address() else {
            let (transport, wire) = server.connect(PREFIX).await.expect("the child can connect");
            return Self::Thread(thread::spawn(move || {
                tokio::runtime::Runtime::new().expect("a runtime").block_on(job(transport));
                drop(wire);
            }));
        };
        let mut command = Command::new(env::current_exe().expect("the path of the test binary"));
        command.args([test, "--exact", "--nocapture"]).env(ADDRESS, address).stdout(Stdio::null());
        Self::Process(command.spawn().expect("the test binary can be started"))
    }

    /// Waits until it has ended.
    ///
    /// # Panics
    /// It failed.
    pub(crate) async fn succeeds(self) {
        let ended = tokio::task::spawn_blocking(|| match self {
            Self::Process(mut child) => child.wait().expect("the child's end").success(),
            Self::Thread(thread) => thread.join().is_ok(),
        });
        assert!(ended.await.expect("the wait is not cut"), "the child failed");
    }
}
