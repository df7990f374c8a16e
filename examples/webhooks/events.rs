//! The deliveries that this program knows as types, each with the fields that it uses.
//!
//! A payload has many more fields; serde passes over those that the type does not name.

use std::sync::Arc;

use oyez::{Event, EventMap};
use serde::{Deserialize, Serialize};

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "github.push")]
pub struct Push {
    pub r#ref: String,
    pub commits: Vec<Commit>,
    pub repository: Repository,
    pub sender: User,
}

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "github.issues.opened")]
pub struct IssueOpened {
    pub issue: Issue,
    pub repository: Repository,
    pub sender: User,
}

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "github.issues.closed")]
pub struct IssueClosed {
    pub issue: Issue,
    pub repository: Repository,
    pub sender: User,
}

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "github.issue_comment.created")]
pub struct Commented {
    pub issue: Issue,
    pub repository: Repository,
    pub sender: User,
}

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "github.pull_request.opened")]
pub struct PullRequestOpened {
    pub pull_request: PullRequest,
    pub repository: Repository,
    pub sender: User,
}

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "github.pull_request.closed")]
pub struct PullRequestClosed {
    pub pull_request: PullRequest,
    pub repository: Repository,
    pub sender: User,
}

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "github.release.published")]
pub struct ReleasePublished {
    pub release: Release,
    pub repository: Repository,
}

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "github.star.created")]
pub struct StarCreated {
    pub repository: Repository,
    pub sender: User,
}

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "github.fork")]
pub struct Forked {
    pub forkee: Repository,
    pub repository: Repository,
}

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "github.workflow_run.completed")]
pub struct WorkflowRunCompleted {
    pub workflow_run: Run,
    pub repository: Repository,
}

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "github.check_run.completed")]
pub struct CheckRunCompleted {
    pub check_run: Run,
    pub repository: Repository,
}

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "github.installation.created")]
pub struct Installed {
    pub installation: Installation,
}

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "github.installation.deleted")]
pub struct Uninstalled {
    pub installation: Installation,
}

/// Not from GitHub: the handler in `subscribers/changelog.rs` emits it.
#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "changelog.announced")]
pub struct ChangelogAnnounced {
    pub headline: String,
}

/// Every typed event from GitHub. A `match` over it is exhaustive, so that the compiler finds each place that a new
/// event concerns.
#[derive(Debug, EventMap)]
pub enum GitHub {
    Push(Arc<Push>),
    IssueOpened(Arc<IssueOpened>),
    IssueClosed(Arc<IssueClosed>),
    Commented(Arc<Commented>),
    PullRequestOpened(Arc<PullRequestOpened>),
    PullRequestClosed(Arc<PullRequestClosed>),
    ReleasePublished(Arc<ReleasePublished>),
    StarCreated(Arc<StarCreated>),
    Forked(Arc<Forked>),
    WorkflowRunCompleted(Arc<WorkflowRunCompleted>),
    CheckRunCompleted(Arc<CheckRunCompleted>),
    Installed(Arc<Installed>),
    Uninstalled(Arc<Uninstalled>),
}

#[derive(Debug, Serialize, Deserialize)]
pub struct Commit {
    pub message: String,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct Repository {
    pub full_name: String,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct User {
    pub login: String,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct Issue {
    pub number: u64,
    pub title: String,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct PullRequest {
    pub number: u64,
    pub title: String,
    pub merged: bool,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct Release {
    pub tag_name: String,
}

/// A run of a workflow or of a check. Some end without a conclusion.
#[derive(Debug, Serialize, Deserialize)]
pub struct Run {
    pub conclusion: Option<String>,
}

impl Run {
    pub fn conclusion(&self) -> &str {
        self.conclusion.as_deref().unwrap_or("no conclusion")
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub struct Installation {
    pub account: User,
}
