//! Mistakes that the compiler reports: each with one error, at the user's token, that says what to write.

use std::fs;

#[test]
fn b18_each_mistake_is_reported_where_it_was_made() {
    let cases = trybuild::TestCases::new();
    for (folder, count) in [("event", 23), ("event_map", 8), ("handler", 12)] {
        let files = fs::read_dir(format!("tests/ui/{folder}")).expect("the folder is there");
        let sources = files.flatten().filter(|file| file.path().extension().is_some_and(|extension| extension == "rs"));
        assert_eq!(sources.count(), count, "a case of tests/ui/{folder} is missing, or new and not counted here");
        cases.compile_fail(format!("tests/ui/{folder}/*.rs"));
    }
}
