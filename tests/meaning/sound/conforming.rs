//! Whether one random model conforms to another one: every engine against the definition, by brute force over concrete states.
//!
//! Models have lists, options and numbers, one or two machines that may meet unseen, and hidden steps that may go on for ever;
//! or they are components in lock-step. They are compared by ioco and uioco, with inputs that are ignored, or that lead to chaos.

mod compared;
mod lockstep;
mod models;
mod steps;

use super::{questions, seed};
use compared::{Asked, Seen, compare, shrunk};

/// Questions of a short run.
const FEW: u64 = 200;

#[test]
fn conformance_is_what_its_definition_says() {
    let count = questions(FEW);
    let mut seen = Seen::default();
    let mut differences: Vec<String> = vec![];
    for question in 0..count {
        let seed = seed(8, question);
        let asked = Asked::random(seed);
        if std::env::var("LAWS_TELL").is_ok() {
            eprintln!("{question} {seed}");
        }
        if let Err(difference) = compare(&asked, &mut seen) {
            let (asked, difference) = shrunk(asked, difference);
            differences.push(format!("seed {seed}: {difference}\n{}", asked.described()));
            if differences.len() == 5 {
                break;
            }
        }
    }
    differences.sort_by_key(String::len);
    assert!(differences.is_empty(), "{} differ, the smallest is\n{}", differences.len(), differences.join("\n\n"));
    println!("{count} questions: {seen:?}");
    // A few questions say nothing about the mix.
    if count < FEW {
        return;
    }
    // Otherwise little was asked.
    assert!(seen.conforming * 5 > count && seen.wrong * 10 > count && seen.refused * 100 > count, "{seen:?}");
    assert!(seen.endless * 50 > count && seen.several * 10 > count, "{seen:?}");
    assert!(seen.unknown * 10 < count, "{seen:?}");
}
