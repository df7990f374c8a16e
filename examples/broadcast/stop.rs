//! [`Stop`]: Ctrl-C asks the program to end; a second one does not ask.

use std::process;

use tokio::signal::ctrl_c;
use tokio::sync::oneshot;

pub struct Stop {
    asked: oneshot::Receiver<()>,
}

/// What a shell expects of a program that was ended by Ctrl-C.
const ENDED_BY_CTRL_C: i32 = 130;

impl Stop {
    pub fn on_ctrl_c() -> Self {
        let (ask, asked) = oneshot::channel();
        tokio::spawn(async move {
            _ = ctrl_c().await;
            _ = ask.send(());
            if ctrl_c().await.is_ok() {
                process::exit(ENDED_BY_CTRL_C);
            }
        });
        Self { asked }
    }

    /// Resolves when the user asks.
    pub async fn asked(&mut self) {
        _ = (&mut self.asked).await;
    }
}
