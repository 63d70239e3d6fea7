//! Runs the built program.

// Each test uses what it needs.
#![allow(dead_code)]

use std::process::Command;

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
    pub fn succeeds(&self) {
        assert_eq!(self.code, 0, "{}{}", self.stdout, self.stderr);
    }
}
