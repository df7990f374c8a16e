//! The process-wide bus, and how a task tree gets another (promise B11).

use std::future::Future;
use std::sync::{PoisonError, RwLock};

use crate::ambient;
use crate::bus::EventBus;

static GLOBAL: RwLock<Option<EventBus>> = RwLock::new(None);

impl EventBus {
    /// The bus of the innermost [`scope`](EventBus::scope), else the process-wide one, which is made when it is first
    /// asked for.
    #[must_use]
    pub fn global() -> Self {
        if let Some(bus) = ambient::scope() {
            return bus;
        }
        let current = GLOBAL.read().unwrap_or_else(PoisonError::into_inner).clone();
        current.unwrap_or_else(|| {
            GLOBAL.write().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(Self::new).clone()
        })
    }

    /// Makes `bus` the process-wide one, and returns the one before.
    pub fn set_global(bus: Self) -> Option<Self> {
        GLOBAL.write().unwrap_or_else(PoisonError::into_inner).replace(bus)
    }

    /// Forgets the process-wide bus and returns it; the next [`global`](EventBus::global) makes a new one.
    pub fn reset_global() -> Option<Self> {
        GLOBAL.write().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Runs `future` with `bus` as the global one: in `future` itself, in the handlers of events emitted there, and in
    /// what [`Context::spawn`](crate::Context::spawn) spawns from those. A plain [`tokio::spawn`] leaves the scope.
    ///
    /// ```
    /// # use oyez_bus::EventBus;
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let bus = EventBus::new();
    /// EventBus::scope(bus.clone(), async {
    ///     assert!(EventBus::global().is(&bus));
    /// })
    /// .await;
    /// # }
    /// ```
    pub async fn scope<F: Future>(bus: Self, future: F) -> F::Output {
        ambient::in_scope(bus, future).await
    }
}
