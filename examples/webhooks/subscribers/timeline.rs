//! An event map: one handler for a closed set of types, with a `match` that the compiler checks.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use oyez::EventBus;

use crate::events::GitHub;

/// Keeps a sentence about each of the latest events.
#[derive(Default)]
pub struct Timeline {
    latest: Mutex<VecDeque<String>>,
}

const KEPT: usize = 5;

impl Timeline {
    pub fn subscribe(bus: &EventBus) -> Arc<Self> {
        let timeline = Arc::new(Self::default());
        let this = Arc::clone(&timeline);
        bus.subscribe_map::<GitHub>().name("timeline").handle(move |event: GitHub| {
            this.keep(sentence(&event));
            async {}
        });
        timeline
    }

    fn keep(&self, sentence: String) {
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        if latest.len() == KEPT {
            latest.pop_front();
        }
        latest.push_back(sentence);
    }

    pub fn latest(&self) -> Vec<String> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }
}

fn sentence(event: &GitHub) -> String {
    match event {
        GitHub::Push(e) => format!("{} pushed {} commits to {}", e.sender.login, e.commits.len(), e.r#ref),
        GitHub::IssueOpened(e) => format!("{} opened issue #{}: {}", e.sender.login, e.issue.number, e.issue.title),
        GitHub::IssueClosed(e) => format!("{} closed issue #{}", e.sender.login, e.issue.number),
        GitHub::Commented(e) => format!("{} commented on issue #{}", e.sender.login, e.issue.number),
        GitHub::PullRequestOpened(e) => {
            format!("{} opened pull request #{}: {}", e.sender.login, e.pull_request.number, e.pull_request.title)
        }
        GitHub::PullRequestClosed(e) => {
            let how = if e.pull_request.merged { "merged" } else { "closed" };
            format!("{} {how} pull request #{}", e.sender.login, e.pull_request.number)
        }
        GitHub::ReleasePublished(e) => format!("{} released {}", e.repository.full_name, e.release.tag_name),
        GitHub::StarCreated(e) => format!("{} starred {}", e.sender.login, e.repository.full_name),
        GitHub::Forked(e) => format!("{} was forked to {}", e.repository.full_name, e.forkee.full_name),
        GitHub::WorkflowRunCompleted(e) => {
            format!("a workflow of {} ended with {}", e.repository.full_name, e.workflow_run.conclusion())
        }
        GitHub::CheckRunCompleted(e) => {
            format!("a check of {} ended with {}", e.repository.full_name, e.check_run.conclusion())
        }
        GitHub::Installed(e) => format!("{} installed the app", e.installation.account.login),
        GitHub::Uninstalled(e) => format!("{} removed the app", e.installation.account.login),
    }
}
