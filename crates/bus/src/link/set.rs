//! [`Links`]: the links of a bus.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use arc_swap::ArcSwap;
use serde::ser::Error;
use uuid::Uuid;

use crate::context::Context;
use crate::dispatch::isolated;
use crate::emitted::{Emitted, NotSent, NotSentReason};
use crate::envelope::Tail;
use crate::event::EncodeError;
use crate::link::core::Core;
use crate::link::recent::Recent;

/// The links of a bus, and what makes it one node among others.
#[derive(Default)]
pub(crate) struct Links {
    any: AtomicBool,
    list: ArcSwap<Vec<Arc<Core>>>,
    changing: Mutex<()>,
    instance: OnceLock<Arc<str>>,
    pub(super) recent: Arc<Mutex<Recent>>,
}

impl Links {
    /// Whether there is a link: what an emit asks.
    #[inline]
    pub(crate) fn any(&self) -> bool {
        self.any.load(Ordering::Acquire)
    }

    /// The random id of the bus (promise T3).
    pub(crate) fn instance(&self) -> &Arc<str> {
        self.instance.get_or_init(|| Uuid::new_v4().simple().to_string().into())
    }

    /// Offers an event to every link. `write` writes its payload, and says whether it has one; it is called once, if there is a
    /// link. It is the program's code, and may panic.
    #[inline]
    pub(crate) fn send(
        &self,
        context: &Context,
        write: impl FnOnce(&mut Vec<u8>) -> Result<bool, EncodeError>,
    ) -> Emitted {
        if self.any() { self.send_to_all(context, write) } else { Emitted::default() }
    }

    #[cold]
    fn send_to_all(&self, context: &Context, write: impl FnOnce(&mut Vec<u8>) -> Result<bool, EncodeError>) -> Emitted {
        let links = self.list.load();
        let opening = links.iter().map(|link| link.node.opening.len()).max().unwrap_or(0);
        let encoded = isolated(|| Tail::new(context, opening, write)).unwrap_or_else(|_| Err(panicked()));
        let not_sent: Vec<NotSent> = match encoded {
            Ok(Some(tail)) => offer(&links, context, tail),
            Ok(None) => Vec::new(),
            Err(error) => {
                let unencodable = |link: &Arc<Core>| {
                    link.counts.unencodable.add(1);
                    link.not_sent(NotSentReason::Unencodable(error.clone()))
                };
                links.iter().map(unencodable).collect()
            }
        };
        let mut emitted = Emitted::default();
        if !not_sent.is_empty() {
            emitted.not_sent(not_sent);
        }
        emitted
    }

    pub(crate) fn list(&self) -> Vec<Arc<Core>> {
        self.list.load().to_vec()
    }

    pub(super) fn add(&self, link: Arc<Core>) {
        self.change(|links| links.push(link));
    }

    pub(super) fn remove(&self, link: &Arc<Core>) {
        self.change(|links| links.retain(|other| !Arc::ptr_eq(other, link)));
    }

    fn change(&self, change: impl FnOnce(&mut Vec<Arc<Core>>)) {
        let changing = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut links = self.list();
        change(&mut links);
        let any = !links.is_empty();
        let old = self.list.swap(Arc::new(links));
        self.any.store(any, Ordering::Release);
        drop(changing);
        drop(old);
    }
}

/// The last link gets the tail itself; if there are others, all share it.
fn offer(links: &[Arc<Core>], context: &Context, tail: Tail) -> Vec<NotSent> {
    let tail = if links.len() > 1 { tail.shared() } else { tail };
    let Some((last, others)) = links.split_last() else { return Vec::new() };
    let mut not_sent: Vec<_> = others.iter().filter_map(|link| link.offer(context, tail.clone())).collect();
    not_sent.extend(last.offer(context, tail));
    not_sent
}

fn panicked() -> EncodeError {
    EncodeError::new(serde_json::Error::custom("the type's `Serialize` panicked"))
}

impl Drop for Links {
    /// The bus is gone: what is in the outboxes is still sent, as long as the runtime lives.
    fn drop(&mut self) {
        self.list.load().iter().for_each(|link| link.abandon());
    }
}

impl fmt::Debug for Links {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Links").field("links", &self.list.load().len()).finish_non_exhaustive()
    }
}
