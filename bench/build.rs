//! Hands the compiler's version to the report, which names it beside the figures.

use std::process::Command;

fn main() {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version =
        Command::new(rustc).arg("--version").output().ok().and_then(|output| String::from_utf8(output.stdout).ok());
    println!("cargo::rustc-env=BENCH_RUSTC={}", version.as_deref().map_or("unknown rustc", str::trim));
    println!("cargo::rerun-if-changed=build.rs");
}
