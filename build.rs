//! Compiles the grammar and puts Z3's library where every kind of target finds it.
//!
//! Cargo adds link-search folders *inside the target folder* to the loader path of `run`, `test` and doctests alike, so
//! the library is copied to `OUT_DIR`. The rpath serves binaries that are started without cargo.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

const LIBRARY: &str = ".z3/lib";

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=grammar/tracewright.lalrpop");
    println!("cargo:rerun-if-changed={LIBRARY}");
    println!("cargo:rerun-if-changed=docs/errors");
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets OUT_DIR"));
    lalrpop::Configuration::new().set_in_dir("grammar").set_out_dir(&out).process().expect("the grammar compiles");
    if let Err(error) = copy_libraries(Path::new(LIBRARY), &out) {
        println!("cargo:error=no Z3 library in {LIBRARY} ({error}): run ./setup first");
        std::process::exit(1);
    }
    explanations(&out).expect("docs/errors can be read");
    println!("cargo:rustc-link-search=native={}", out.display());
    println!("cargo:rustc-link-arg-bins=-Wl,-rpath,{}", out.display());
}

fn copy_libraries(from: &Path, to: &Path) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        fs::copy(entry.path(), to.join(entry.file_name()))?;
    }
    Ok(())
}

/// A table of all pages in docs/errors, by code.
fn explanations(out: &Path) -> io::Result<()> {
    let mut codes: Vec<String> = fs::read_dir("docs/errors")?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok()?.strip_suffix(".md").map(str::to_owned))
        .collect();
    codes.sort();
    let root = env::var("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR");
    let rows: String = codes
        .iter()
        .map(|code| format!("    ({code:?}, include_str!({:?})),\n", format!("{root}/docs/errors/{code}.md")))
        .collect();
    fs::write(out.join("explanations.rs"), format!("const EXPLANATIONS: &[(&str, &str)] = &[\n{rows}];\n"))
}
