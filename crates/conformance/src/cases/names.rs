//! T10: names and prefixes are taken literally.

use oyez_bus::testing::Recorder;
use oyez_bus::{EmitError, Pattern};

use crate::backend::Backend;
use crate::events::Said;
use crate::node::{Node, PREFIX, recorded_tick};

/// Pairs of prefixes that a pattern, a separator or an escape could mix up.
const PAIRS: [(&str, &str); 10] = [
    ("app[1]:", "app1:"),
    ("app", "app.tick"),
    ("app.tick", "app tick"),
    ("*", "app"),
    (">", "app"),
    ("a?c", "abc"),
    ("%2E", "."),
    ("app", "App"),
    ("é", "e"),
    ("\r\n", "\n"),
];

/// Two nodes of one prefix hear each other and a third of another prefix does not, nor they it.
pub async fn t10_prefixes_do_not_hear_each_other<B: Backend>() {
    let server = B::start().await;
    for (one, other) in PAIRS {
        let here = Node::join_with(&server, one, |attach| attach).await;
        let mut there = Node::join_with(&server, one, |attach| attach).await;
        let mut apart = Node::join_with(&server, other, |attach| attach).await;
        let apart_too = Node::join_with(&server, other, |attach| attach).await;
        here.tick(1).await;
        assert_eq!(there.ticks_until(1).await, [1], "{one:?} {other:?}");
        apart_too.tick(2).await;
        assert_eq!(apart.ticks_until(2).await, [2], "{one:?} {other:?}");
        here.tick(3).await;
        assert_eq!(there.ticks_until(3).await, [3], "{one:?} {other:?}");
    }
}

/// What is kept away is filtered after it was received: no gap.
pub async fn t10_only_the_wanted_names_are_handled_and_numbers_stay_whole<B: Backend>() {
    let server = B::start().await;
    let only = || ["tick", "order.*"].map(|pattern| pattern.parse::<Pattern>().expect("a pattern"));
    let mut node = Node::join_with(&server, PREFIX, |attach| attach.only(only())).await;
    let mut there = Node::join(&server).await;
    let recorder = Recorder::new(&node.bus);
    there.bus.emit_json("order.paid", 1).await.expect("the bus takes events");
    there.bus.emit(Said { by: "there".into(), what: "something".into() }).await.expect("the bus takes events");
    there.bus.emit_json("orders", 2).await.expect("the bus takes events");
    there.tick(1).await;
    assert_eq!(node.ticks_until(1).await, [1]);
    recorded_tick(&recorder).await;
    recorder.assert_names(&["order.paid", "tick"]);
    let status = node.status(|status| status.handled == 2).await;
    assert_eq!((status.filtered, status.lost), (2, 0));
    // It sends everything.
    node.bus.emit_json("orders", 3).await.expect("the bus takes events");
    node.tick(2).await;
    there.ticks_until(2).await;
    assert_eq!(there.link.status().unheard, 1);
}

/// Nothing illegal reaches the server; the connection holds; what is legal arrives under its exact name.
pub async fn c22_illegal_names_are_refused_and_legal_ones_arrive_exactly<B: Backend>() {
    let server = B::start().await;
    let (mut here, mut there) = (Node::join(&server).await, Node::join(&server).await);
    let recorder = Recorder::new(&there.bus);
    let illegal = ["test.one two", "billing..eu", ".x", "x.", "", "a.*", "a.>", "x\r\nPUB y 0\r\n", "a\tb", "*", ">"];
    for name in illegal {
        let refused = here.bus.emit_json(name, 1).await;
        assert!(matches!(refused, Err(EmitError::Name(_))), "{name:?}: {refused:?}");
    }
    let legal = [
        "billing:eu",
        "événement.créé",
        "%",
        "a%2Eb",
        "a.b%20c",
        "$SYS.x",
        "_INBOX.x",
        "%h",
        "%hello.x",
        "a?b[c]^{d}",
        "\"quoted\"\\",
        "'a';--",
        "日本語.\u{1f600}",
        &"n".repeat(255),
    ];
    for name in legal {
        here.bus.emit_json(name, name).await.expect("a legal name");
    }
    here.tick(1).await;
    there.ticks_until(1).await;
    recorded_tick(&recorder).await;
    recorder.assert_names(&[&legal[..], &["tick"]].concat());
    assert_eq!((here.told_by_now().len(), there.told_by_now().len()), (0, 0));
}
