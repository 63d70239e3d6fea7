//! Answers that were wrong once, each under its own name: a small model, a question, and what is true of it.
//!
//! Every question is asked by default and of each engine alone. By default the truth must be said; an engine alone may
//! say `unknown`, and nothing else.

mod conformance;
mod data;
mod expressions;
mod monitors;
mod names;
mod opening;
mod scripts;
mod suites;
mod types;

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::binary::{Output, tracewright};

/// A file with models and questions, in a folder of the test's own.
struct Asked {
    path: PathBuf,
}

/// Engines of `gen` and `check --property`.
const ENGINES: [&str; 4] = ["symbolic", "explicit", "unrolled", "induction"];
/// Seconds that an engine alone may take: it may have no end where others have one.
const ALONE: &str = "3";
/// Engines of `conform`.
const COMPARING: [&str; 3] = ["symbolic", "explicit", "induction"];

impl Asked {
    fn new(test: &str, text: &str) -> Asked {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sound").join(test);
        std::fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join("m.tw");
        std::fs::write(&path, text).expect("a file");
        Asked { path }
    }

    /// Another file in the same folder; its path.
    fn beside(&self, name: &str, text: &str) -> String {
        let path = self.path.with_file_name(name);
        std::fs::write(&path, text).expect("a file");
        path.to_str().expect("a plain path").to_owned()
    }

    /// The file with a name behind it, as commands take it: `m.tw#Name`.
    fn named(&self, name: &str) -> String {
        format!("{}{name}", self.path.display())
    }

    /// Runs a command on the file.
    fn run(&self, command: &str, more: &[&str]) -> Output {
        tracewright(&[&[command, &self.named("")][..], more].concat())
    }

    /// Runs a command that prints JSON and ends with an answer, also a negative one.
    fn json(&self, command: &str, more: &[&str]) -> Value {
        let output = self.run(command, &[more, &["--json"]].concat());
        assert!([0, 1, 3].contains(&output.code), "{command} {more:?}: exit {}\n{}", output.code, output.stderr);
        serde_json::from_str(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", output.stdout))
    }

    /// What `gen` answers for a purpose, with the number of steps of its first case.
    fn answer(&self, purpose: &str, more: &[&str]) -> (String, Option<usize>) {
        let result = self.json("gen", &[&["-p", purpose][..], more].concat());
        let result = &result["purposes"][0];
        let steps = result["cases"][0]["length"].as_u64().map(|steps| steps as usize);
        (result["answer"].as_str().expect("an answer").to_owned(), steps)
    }

    /// A purpose is met by runs, the shortest of which has so many steps.
    fn found(&self, purpose: &str, steps: usize) {
        self.says(purpose, ("found", Some(steps)));
    }

    /// No run meets a purpose.
    fn impossible(&self, purpose: &str) {
        self.says(purpose, ("impossible", None));
    }

    fn says(&self, purpose: &str, truth: (&str, Option<usize>)) {
        let truth = (truth.0.to_owned(), truth.1);
        assert_eq!(self.answer(purpose, &[]), truth, "{purpose}, by default");
        for engine in ENGINES {
            let answer = self.answer(purpose, &["--engine", engine, "--time", ALONE]);
            assert!(answer == truth || answer.0 == "unknown", "{purpose}, {engine}: {answer:?}, not {truth:?}");
        }
    }

    /// Every run has a property.
    fn holds(&self, property: &str) {
        self.decided(property, "holds");
    }

    /// Some run does not have a property.
    fn broken(&self, property: &str) {
        self.decided(property, "broken");
    }

    fn decided(&self, property: &str, truth: &str) {
        let verdict = |more: &[&str]| {
            let result = self.json("check", &[&["--property", property][..], more].concat());
            result["properties"][0]["answer"].as_str().expect("a verdict").to_owned()
        };
        assert_eq!(verdict(&[]), truth, "{property}, by default");
        for engine in ENGINES {
            let answer = verdict(&["--engine", engine, "--time", ALONE]);
            assert!(answer == truth || answer == "unknown", "{property}, {engine}: {answer}, not {truth}");
        }
    }

    /// One model of the file conforms to another one, or does not.
    fn conforms(&self, implementation: &str, specification: &str, more: &[&str], truth: bool) {
        let verdict = |engine: &[&str]| {
            let sides = [self.named(implementation), self.named(specification)];
            let output = tracewright(&[&["conform", &sides[0], &sides[1], "--json"][..], more, engine].concat());
            assert!([0, 1, 3].contains(&output.code), "exit {}\n{}", output.code, output.stderr);
            let result: Value = serde_json::from_str(&output.stdout).expect("JSON");
            // Conforming up to a depth is no proof.
            result["conforms"].as_bool().filter(|conforms| !conforms || result["complete"] == true)
        };
        assert_eq!(verdict(&[]), Some(truth), "by default");
        for engine in COMPARING {
            let answer = verdict(&["--engine", engine, "--time", ALONE]);
            assert!(answer.is_none_or(|answer| answer == truth), "{engine}: {answer:?}, not {truth}");
        }
    }
}
