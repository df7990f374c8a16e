//! The derive macros of oyez, [`Event`](derive@Event) and [`EventMap`](derive@EventMap).
//!
//! Use them through the crate `oyez`, which has the traits too. Each derive reads what the user wrote (`parse`), and
//! writes an implementation if it is in order (`expand`).

mod errors;
mod event;
mod event_map;
mod name;
mod setting;
mod settings;
mod stand_in;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Makes a struct or an enum an event (promises B9, B18 and B19).
///
/// ```
/// use oyez::Event;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Serialize, Deserialize, Event)]
/// #[event(name = "user.created")]
/// struct UserCreated {
///     id: u64,
/// }
///
/// assert_eq!(UserCreated::NAME, "user.created");
/// ```
///
/// # Settings
///
/// | in `#[event(..)]` | what it does |
/// |---|---|
/// | `name = "user.created"` | The event's name; required. A string of 1 to 255 bytes without whitespace, control characters, `*`, `>` and empty segments (`a..b`, `.a`, `a.`). |
/// | `version = 2` | The version of the payload's shape, from 1 up; 1 if not given. Payloads of a newer version are never read. |
/// | `upcast = [V1, V2]` | Older versions of the event, each a type with the same name, a lower version and a `From` towards this one. An older payload is decoded as the first type listed that reads its version, then converted; that type may have an `upcast` of its own. |
/// | `durable` | The event is stored in the log before anything else happens. |
/// | `key = "order_id"` | The field under whose value the log keeps events in order; its type implements `Display`. A field of a tuple struct is named by its number. Only with `durable`. |
/// | `local` | The event never leaves the process and needs no serde. Not with `durable`, `key`, `upcast` or `boxed`. |
/// | `boxed` | The event can be written and read as `Box<dyn DynEvent>`, under its name and version (`user.created@1`). Not for generic types. |
/// | `crate = "platform::oyez"` | The path of oyez where it is not `::oyez`: a re-export, or a dependency with another name. |
///
/// Settings may be spread over several `#[event(..)]`; each is given once.
///
/// # What the type needs
///
/// It owns its data: it has no lifetime parameters, and is `Send` and `Sync`. Unless it is `local`, it implements
/// serde's `Serialize` and `Deserialize`. A generic type is an event for all parameters with which it does so; all of
/// them bear one name.
///
/// # Versions
///
/// ```
/// use oyez::Event;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Serialize, Deserialize, Event)]
/// #[event(name = "user.renamed")]
/// struct UserRenamedV1 {
///     name: String,
/// }
///
/// #[derive(Serialize, Deserialize, Event)]
/// #[event(name = "user.renamed", version = 2, upcast = [UserRenamedV1])]
/// struct UserRenamed {
///     old: Option<String>,
///     new: String,
/// }
///
/// impl From<UserRenamedV1> for UserRenamed {
///     fn from(v1: UserRenamedV1) -> Self {
///         Self { old: None, new: v1.name }
///     }
/// }
///
/// let event = UserRenamed::decode(1, br#"{"name":"Ada"}"#)?;
/// assert_eq!(event.new, "Ada");
/// assert!(!UserRenamed::reads(3));
/// # Ok::<(), oyez::DecodeError>(())
/// ```
#[proc_macro_derive(Event, attributes(event))]
pub fn derive_event(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    event::derive(&input).into()
}

/// Makes an enum a closed set of events (promise B17).
///
/// Each variant holds the `Arc` of one event, and no two of these have the same name. The enum has no generics.
///
/// ```
/// use std::sync::Arc;
///
/// use oyez::{Event, EventMap};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Serialize, Deserialize, Event)]
/// #[event(name = "user.created")]
/// struct UserCreated {
///     id: u64,
/// }
///
/// #[derive(Serialize, Deserialize, Event)]
/// #[event(name = "order.paid")]
/// struct OrderPaid {
///     order: u64,
/// }
///
/// #[derive(EventMap)]
/// enum Shop {
///     UserCreated(Arc<UserCreated>),
///     OrderPaid(Arc<OrderPaid>),
/// }
///
/// assert_eq!(Shop::NAMES, ["user.created", "order.paid"]);
/// match Shop::decode("order.paid", 1, br#"{"order":7}"#)? {
///     Shop::UserCreated(user) => println!("user {}", user.id),
///     Shop::OrderPaid(paid) => assert_eq!(paid.order, 7),
/// }
/// # Ok::<(), oyez::DecodeError>(())
/// ```
///
/// The one setting is `#[event(crate = "platform::oyez")]`, the path of oyez where it is not `::oyez`.
#[proc_macro_derive(EventMap, attributes(event))]
pub fn derive_event_map(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    event_map::derive(&input).into()
}
