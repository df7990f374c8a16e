//! [`Failure`]: why a measurement cannot go on.

use std::error::Error;

/// Any error, also one from another thread.
pub(crate) type Failure = Box<dyn Error + Send + Sync>;
