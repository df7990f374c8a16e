//! What the figures were measured on.

use std::fs;
use std::thread;

/// The processor, how many threads it runs, and the compiler.
pub(crate) fn describe() -> String {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let plural = if cores == 1 { "" } else { "s" };
    format!("{}, {cores} core{plural}, {}", processor(), env!("BENCH_RUSTC"))
}

fn processor() -> String {
    let model = fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| model_name(&text).map(str::to_owned));
    model.unwrap_or_else(|| format!("{} {}", std::env::consts::OS, std::env::consts::ARCH))
}

fn model_name(cpuinfo: &str) -> Option<&str> {
    cpuinfo.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':').map(|(_, name)| name.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_is_read_from_its_line() {
        let cpuinfo = "processor\t: 0\nmodel\t\t: 17\nmodel name\t: Some CPU @ 3 GHz\nmodel name\t: Other\n";
        assert_eq!(model_name(cpuinfo), Some("Some CPU @ 3 GHz"));
        assert_eq!(model_name("processor\t: 0\n"), None);
    }
}
