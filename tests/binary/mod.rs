//! Runs the built program.

use std::process::Command;

use serde_json::Value as Json;

/// What a command printed and how it ended.
#[derive(Debug)]
pub struct Output {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

/// Runs `tracewright` with arguments, in the folder of the project.
pub fn tracewright(args: &[&str]) -> Output {
    let output = Command::new(env!("CARGO_BIN_EXE_tracewright")).args(args).output().expect("the program starts");
    Output {
        code: output.status.code().expect("it ends by itself"),
        stdout: String::from_utf8(output.stdout).expect("text"),
        stderr: String::from_utf8(output.stderr).expect("text"),
    }
}

impl Output {
    /// Fails the test unless the exit code is 0.
    #[allow(dead_code)]
    pub fn succeeds(&self) {
        assert_eq!(self.code, 0, "{}{}", self.stdout, self.stderr);
    }
}

/// The JSON that a command prints when it ends as wished.
#[allow(dead_code)]
pub fn json_of(args: &[&str]) -> Json {
    let output = tracewright(args);
    assert_eq!(output.code, 0, "{args:?}: {}", output.stderr);
    serde_json::from_str(&output.stdout).expect("one JSON object")
}
