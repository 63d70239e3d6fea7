//! Laws that no answer may break, each on random questions.
//!
//! A minute of them runs with the other tests. `LAWS=n` asks n times as many questions, and `LAWS_SEED=s` other ones:
//! `LAWS=20 LAWS_SEED=7 cargo test --release --test meaning sound`. The same number and seed ask the same questions; a law that
//! is broken prints the smallest question it knows, with the seed that leads to it.

mod confirmed;
mod conforming;
mod covering;
mod described;
mod expressions;
mod machines;
mod matched;
mod monitored;
mod opened;
mod random;
mod scripted;
mod typed;
mod wrapped;

/// How many questions to ask, where a short run asks `few`.
fn questions(few: u64) -> u64 {
    few * setting("LAWS", 1)
}

/// The seed of a question: each law has its own questions.
fn seed(law: u64, question: u64) -> u64 {
    (setting("LAWS_SEED", 0) << 40) ^ (law << 32) ^ question
}

/// Keeps a text with a question as a file, if `LAWS_KEEP` names a folder: `tests/overruns.py` asks what stands there.
fn kept(seed: u64, text: &str) {
    if let Ok(folder) = std::env::var("LAWS_KEEP") {
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(format!("{folder}/{seed}.tw"), text).expect("a file");
    }
}

fn setting(name: &str, default: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name} is a number, not `{text}`")),
        Err(_) => default,
    }
}
