//! [`transport_suite!`]: everything that a transport promises, as a list of cases.

use std::future::Future;
use std::time::Duration;

/// Far longer than any case takes: only what hangs reaches it.
const LIMIT: Duration = Duration::from_secs(150);

/// Runs a case, and ends it when it hangs.
///
/// # Panics
/// The case fails, or hangs.
pub async fn run(name: &str, case: impl Future<Output = ()>) {
    let ended = tokio::time::timeout(LIMIT, case).await;
    assert!(ended.is_ok(), "`{name}` hangs");
}

/// Makes one test of each case, for the [`Backend`](crate::Backend) that is given. Stands at the root of a test binary.
#[macro_export]
macro_rules! transport_suite {
    ($backend:ty) => {
        $crate::transport_cases! { $backend:
            // T1: what is emitted elsewhere after an attach arrives.
            t01_what_is_emitted_after_an_attach_arrives
            c25_what_is_emitted_after_a_registration_arrives
            // T2: an emit never waits for the network.
            t02_an_emit_never_waits_for_a_server_that_is_gone
            t02_a_full_outbox_drops_the_oldest_and_counts
            t02_a_full_outbox_drops_the_newest_by_choice_and_says_so
            t02_an_outbox_is_bounded_in_bytes_too
            // T3: who is who.
            t03_a_bus_never_handles_its_own_events_as_remote_ones
            t03_an_event_that_comes_over_two_links_is_handled_once
            t03_remote_events_are_not_broadcast_again
            c21_two_processes_of_one_name_hear_each_other
            // T4: what arrives is what was emitted.
            t04_names_ids_headers_and_payloads_arrive_exactly
            t04_events_without_a_type_arrive_exactly
            // T5: for ever connected.
            t05_each_event_is_handled_once_after_five_kills
            t05_what_was_emitted_during_an_outage_is_sent_after_it_once
            c15_subscriptions_survive_a_restart_of_the_server
            c18_reconnects_leave_no_second_subscription
            // T6: a connection that is silent is proved alive.
            t06_a_frozen_server_is_noticed
            t06_an_idle_link_stays_up
            c16_a_connection_that_swallows_everything_is_noticed_and_replaced
            // T7: loss is visible.
            t07_lost_events_are_told_as_a_gap
            t07_a_lost_last_event_is_told_by_a_beat
            t07_a_lost_last_event_is_told_when_its_sender_closes
            t07_an_outage_is_told_with_its_length
            t07_what_cannot_be_written_as_json_is_said_and_counted
            // T8: too large.
            t08_too_large_is_refused_and_said_and_small_events_go_on
            t08_what_just_fits_arrives
            // T9: foreign bytes.
            c20_foreign_bytes_never_end_the_loop
            t09_events_of_foreign_writers_are_heard
            // T10: names and prefixes.
            t10_prefixes_do_not_hear_each_other
            t10_only_the_wanted_names_are_handled_and_numbers_stay_whole
            c22_illegal_names_are_refused_and_legal_ones_arrive_exactly
            // T11: closing.
            t11_what_was_emitted_before_a_close_arrives
            t11_a_close_without_a_server_says_how_many_were_not_sent
            t11_a_shutdown_closes_every_link
            t11_a_dropped_bus_neither_panics_nor_hangs
            c24_a_process_that_closes_and_ends_has_sent_everything
            c24_a_process_that_only_drops_its_bus_ends
            // T12: slow consumers.
            t12_what_a_slow_node_loses_is_counted
            // T13: secrets.
            t13_payloads_are_in_no_log_error_or_debug_text
            // T14: decoding.
            t14_what_nobody_listens_to_is_not_decoded
            // What programs see of it.
            d02_the_links_of_a_bus_can_be_seen
            d23_broadcast_is_opt_in_and_ends_with_the_bus
        }
    };
}

/// The tests of [`transport_suite!`].
#[doc(hidden)]
#[macro_export]
macro_rules! transport_cases {
    ($backend:ty: $($case:ident)*) => {
        $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $case() {
                $crate::run(stringify!($case), $crate::cases::$case::<$backend>()).await;
            }
        )*
    };
}
