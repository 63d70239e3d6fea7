//! The program as people meet it: commands, files, messages, pages and generated tests.
//!
//! One binary for all of it: linking is what building tests costs most.

#[path = "../binary/mod.rs"]
mod binary;
mod placed;
mod worded;

mod browser;
mod chart_files;
mod charts;
mod confirmation;
mod conformance;
mod coverage;
mod data;
mod docs;
mod drawing;
mod examples;
mod explanations;
mod hostile;
mod junit;
mod library;
mod monitoring;
mod output;
mod patterns;
mod properties;
mod purposes;
mod regressions;
mod regressions_kept;
mod report;
mod safety;
mod schemas;
mod services;
mod sound;
mod terminal;
mod test_code;
mod trouble;
mod wrong;
