//! `tracewright explain`

use serde_json::json;

use super::args::ExplainArgs;
use super::outcome::{Failure, Outcome};
use super::print;

// One page per code, from docs/errors.
include!(concat!(env!("OUT_DIR"), "/explanations.rs"));

/// The page of a code.
pub fn page(code: &str) -> Option<&'static str> {
    EXPLANATIONS.iter().find(|(known, _)| known.eq_ignore_ascii_case(code)).map(|(_, page)| *page)
}

pub fn run(args: &ExplainArgs) -> Result<Outcome, Failure> {
    let Some(page) = page(&args.code) else {
        let known: Vec<&str> = EXPLANATIONS.iter().map(|(code, _)| *code).collect();
        return Err(Failure::Usage(format!("there is no code `{}`; known are {}", args.code, known.join(" "))));
    };
    if args.common.json {
        print(&format!("{}\n", json!({ "code": args.code.to_uppercase(), "text": page })))?;
    } else {
        print(page)?;
    }
    Ok(Outcome::Wished)
}
