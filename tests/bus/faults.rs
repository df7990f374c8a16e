//! [`Fault`]: every way in which a handler fails.

use std::error::Error;
use std::fmt;
use std::future::{Future, pending, poll_fn};
use std::panic::resume_unwind;
use std::pin::Pin;
use std::task::{self, Poll};

use oyez::{BoxError, HandlerErrorKind};

use crate::bomb::Bomb;

/// One way to fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    Error,
    ErrorWhoseDisplayPanics,
    ErrorWhoseSourceDisplayPanics,
    ErrorWhoseSourcePanics,
    ErrorWhoseDropPanics,
    ErrorWhoseConversionPanics,
    PanicOutsideOfTheFuture,
    PanicBeforeTheFirstAwait,
    PanicAfterTheFirstAwait,
    PanicWithAFormattedText,
    PanicWithAPayloadThatIsNotText,
    PanicWithAPayloadWhoseDropPanics,
    FutureWhoseDropPanics,
    Timeout,
    TimeoutOfAFutureWhoseDropPanics,
}

type Outcome = Result<(), HandlersError>;

impl Fault {
    pub(crate) const ALL: [Self; 15] = [
        Self::Error,
        Self::ErrorWhoseDisplayPanics,
        Self::ErrorWhoseSourceDisplayPanics,
        Self::ErrorWhoseSourcePanics,
        Self::ErrorWhoseDropPanics,
        Self::ErrorWhoseConversionPanics,
        Self::PanicOutsideOfTheFuture,
        Self::PanicBeforeTheFirstAwait,
        Self::PanicAfterTheFirstAwait,
        Self::PanicWithAFormattedText,
        Self::PanicWithAPayloadThatIsNotText,
        Self::PanicWithAPayloadWhoseDropPanics,
        Self::FutureWhoseDropPanics,
        Self::Timeout,
        Self::TimeoutOfAFutureWhoseDropPanics,
    ];

    /// Whether a handler without a future has it too.
    pub(crate) fn is_sync(self) -> bool {
        self.is_error() || !self.is_timeout() && self != Self::FutureWhoseDropPanics
    }

    pub(crate) fn is_timeout(self) -> bool {
        matches!(self, Self::Timeout | Self::TimeoutOfAFutureWhoseDropPanics)
    }

    fn is_error(self) -> bool {
        self.kind() == HandlerErrorKind::Failed
    }

    /// What the bus calls it.
    pub(crate) fn kind(self) -> HandlerErrorKind {
        match self {
            Self::Error
            | Self::ErrorWhoseDisplayPanics
            | Self::ErrorWhoseSourceDisplayPanics
            | Self::ErrorWhoseSourcePanics
            | Self::ErrorWhoseDropPanics => HandlerErrorKind::Failed,
            Self::Timeout | Self::TimeoutOfAFutureWhoseDropPanics => HandlerErrorKind::TimedOut,
            _ => HandlerErrorKind::Panicked,
        }
    }

    /// A text that the reason has.
    pub(crate) fn reason(self) -> &'static str {
        match self {
            Self::Error => "the handler returned an error: db down",
            Self::ErrorWhoseDisplayPanics | Self::ErrorWhoseSourceDisplayPanics | Self::ErrorWhoseSourcePanics => {
                "the handler returned an error, with an error whose own text panics"
            }
            Self::ErrorWhoseDropPanics => "the handler returned an error: a bomb",
            Self::PanicWithAFormattedText => "the handler panicked: number 13",
            Self::PanicWithAPayloadThatIsNotText | Self::PanicWithAPayloadWhoseDropPanics => {
                "the handler panicked: a payload that is not text"
            }
            Self::FutureWhoseDropPanics => "the handler panicked: the bomb went off",
            Self::Timeout | Self::TimeoutOfAFutureWhoseDropPanics => "the handler took longer than its timeout",
            _ => "the handler panicked: gone wrong",
        }
    }

    /// The handler's call: what it does before there is a future, and that future.
    pub(crate) fn begin(self) -> Pin<Box<dyn Future<Output = Outcome> + Send>> {
        match self {
            Self::PanicOutsideOfTheFuture => panicked("gone wrong"),
            Self::FutureWhoseDropPanics => Box::pin(ReadyBomb(Bomb)),
            Self::TimeoutOfAFutureWhoseDropPanics => {
                let bomb = Bomb;
                Box::pin(async move {
                    pending::<()>().await;
                    drop(bomb);
                    Ok(())
                })
            }
            Self::Timeout => Box::pin(pending()),
            Self::PanicAfterTheFirstAwait => Box::pin(async {
                wait_once().await;
                panicked("gone wrong")
            }),
            _ => Box::pin(async move { self.run() }),
        }
    }

    /// The same without a future.
    pub(crate) fn run(self) -> Outcome {
        match self {
            Self::PanicWithAFormattedText => panicked(format!("number {}", 13)),
            Self::PanicWithAPayloadThatIsNotText => panicked(13),
            Self::PanicWithAPayloadWhoseDropPanics => panicked(Bomb),
            _ if self.is_error() || self == Self::ErrorWhoseConversionPanics => Err(HandlersError(self)),
            _ => panicked("gone wrong"),
        }
    }
}

/// Panics without the noise of the panic hook.
fn panicked<T: Send + 'static, R>(payload: T) -> R {
    resume_unwind(Box::new(payload))
}

/// Pending once, and woken at once.
async fn wait_once() {
    let mut first = true;
    poll_fn(|task| {
        if std::mem::take(&mut first) {
            task.waker().wake_by_ref();
            return Poll::Pending;
        }
        Poll::Ready(())
    })
    .await;
}

/// What a handler returns before the bus turns it into a [`BoxError`].
pub(crate) struct HandlersError(Fault);

impl From<HandlersError> for BoxError {
    fn from(error: HandlersError) -> Self {
        match error.0 {
            Fault::ErrorWhoseConversionPanics => panicked("gone wrong"),
            Fault::ErrorWhoseDropPanics => Box::new(Bomb),
            Fault::Error => "db down".into(),
            fault => Box::new(Unspeakable(fault)),
        }
    }
}

/// An error that cannot be printed with all its causes.
#[derive(Debug)]
struct Unspeakable(Fault);

impl fmt::Display for Unspeakable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Fault::ErrorWhoseDisplayPanics => panicked(Bomb),
            _ => f.write_str("fine so far"),
        }
    }
}

impl Error for Unspeakable {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        static CAUSE: Unspeakable = Unspeakable(Fault::ErrorWhoseDisplayPanics);
        match self.0 {
            Fault::ErrorWhoseSourcePanics => panicked(Bomb),
            Fault::ErrorWhoseSourceDisplayPanics => Some(&CAUSE),
            _ => None,
        }
    }
}

/// Ready at once; its drop panics.
struct ReadyBomb(Bomb);

impl Future for ReadyBomb {
    type Output = Outcome;

    fn poll(self: Pin<&mut Self>, _: &mut task::Context<'_>) -> Poll<Outcome> {
        Poll::Ready(Ok(()))
    }
}
