//! Links the programs for Linux at a fixed address.
//!
//! A position-independent program has 60,000 pointers that the loader changes at each start: a third of the start time of
//! `kornsole submit`. The addresses of libraries, heap, and stack stay random.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = |name: &str| std::env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    let is_static = target("FEATURE").split(',').any(|feature| feature == "crt-static");
    if target("OS") == "linux" && target("ENV") == "gnu" && !is_static {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
