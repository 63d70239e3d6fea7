//! Compiles the grammar.

use std::env;

const GRAMMAR: &str = "../../grammar";

fn main() {
    println!("cargo:rerun-if-changed={GRAMMAR}");
    let out = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    lalrpop::Configuration::new().set_in_dir(GRAMMAR).set_out_dir(out).process().expect("the grammar compiles");
}
