//! [`Stop`]: Ctrl-C asks the program to end; a second one does not ask.

use std::future::pending;

use tokio::signal::ctrl_c;
use tokio::sync::watch;

use crate::cli::Terminal;

pub struct Stop {
    asked: watch::Receiver<bool>,
}

/// What a shell expects of a program that was ended by Ctrl-C.
const ENDED_BY_CTRL_C: i32 = 130;

impl Stop {
    pub fn on_ctrl_c(terminal: &Terminal) -> Self {
        let (ask, asked) = watch::channel(false);
        let terminal = terminal.clone();
        tokio::spawn(async move {
            if ctrl_c().await.is_ok() {
                ask.send_replace(true);
                terminal.say("ending; Ctrl-C once more ends at once");
            }
            if ctrl_c().await.is_ok() {
                std::process::exit(ENDED_BY_CTRL_C);
            }
        });
        Self { asked }
    }

    pub fn is_asked(&self) -> bool {
        *self.asked.borrow()
    }

    /// Resolves when the user asks.
    pub async fn asked(&mut self) {
        if self.asked.wait_for(|asked| *asked).await.is_err() {
            pending().await
        }
    }
}
