//! Makes the pages of errors a table, and lets the program call Z3 without being linked to it.
//!
//! The binding to Z3 is linked to a small library made here, which has every function of Z3 and loads the real one at the
//! first call (see `src/solve/on_demand`). The real one is copied to `OUT_DIR`: Cargo adds link-search folders *inside the
//! target folder* to the loader path of `run`, `test` and doctests alike. The rpath serves binaries started without cargo.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use object::{Object, ObjectSymbol};

/// Where ./setup puts Z3.
const LIBRARY: &str = ".z3/libz3.so";
/// Its name beside the program: no other Z3 on the machine can be taken for it.
const LOADED: &str = "libz3-of-tracewright.so";
/// What makes calls load it.
const ON_DEMAND: &str = "src/solve/on_demand";

fn main() {
    for path in ["build.rs", LIBRARY, ON_DEMAND, "docs/errors"] {
        println!("cargo:rerun-if-changed={path}");
    }
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets OUT_DIR"));
    explanations(&out).expect("docs/errors can be read");
    if let Err(error) = on_demand(&out) {
        println!("cargo:error=no Z3 library at {LIBRARY} ({error}): run ./setup first");
        std::process::exit(1);
    }
    println!("cargo:rustc-link-search=native={}", out.display());
    println!("cargo:rustc-link-arg-bins=-Wl,-rpath,{}", out.display());
}

/// A library `z3` whose functions load the real ones.
fn on_demand(out: &Path) -> io::Result<()> {
    let library = fs::read(LIBRARY)?;
    fs::write(out.join(LOADED), &library)?;
    let library = object::File::parse(&*library).map_err(io::Error::other)?;
    let mut names: Vec<&str> = (library.dynamic_symbols())
        .filter(|symbol| symbol.is_definition())
        .filter_map(|symbol| symbol.name().ok())
        .filter(|name| name.starts_with("Z3_"))
        .collect();
    names.sort_unstable();
    let architecture = env::var("CARGO_CFG_TARGET_ARCH").expect("cargo sets the target");
    let rows = |row: &dyn Fn(usize, &str) -> String| -> String {
        names.iter().enumerate().map(|(number, name)| row(number, name)).collect()
    };
    let assembly = [
        ".text\n".to_owned(),
        fs::read_to_string(format!("{ON_DEMAND}/{architecture}.S"))?,
        rows(&|number, name| format!("z3_function {name}, {number}\n")),
        ".data\n.globl z3_functions\n.balign 8\nz3_functions:\n".to_owned(),
        rows(&|number, _| format!("  .quad z3_first_{number}\n")),
        ".section .data.rel.ro, \"aw\"\n.globl z3_names\n.balign 8\nz3_names:\n".to_owned(),
        rows(&|number, _| format!("  .quad z3_name_{number}\n")),
        ".section .rodata\n".to_owned(),
        rows(&|number, name| format!("z3_name_{number}:\n  .string \"{name}\"\n")),
        ".section .note.GNU-stack, \"\", %progbits\n".to_owned(),
    ];
    let calls = out.join("calls.S");
    fs::write(&calls, assembly.concat())?;
    cc::Build::new()
        .file(calls)
        .file(format!("{ON_DEMAND}/load.c"))
        .define("Z3_LIBRARY", format!("\"{LOADED}\"").as_str())
        .cargo_metadata(false)
        .compile("z3");
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
