//! The command line; see the library for everything else.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(tracewright::cli::main())
}
