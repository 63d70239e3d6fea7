//! From a purpose to test cases and test sequences.
//!
//! Chooses the engine, turns the paths it finds into test cases with what remains open in them, and into sequences with
//! data; says what it means that there are none. Finds no paths itself. Every sequence is replayed by the reference
//! interpreter and re-checked by the rules before anyone sees it.

mod answer;
mod apart;
mod asked;
mod begin;
mod chain;
mod cover;
mod data;
mod describe;
mod engine;
mod explicit;
mod generate;
mod kept;
mod meet;
mod safety;
mod script;
mod sequence;
mod shrink;

pub use answer::{
    Answer, Answered, Attempted, Behaviour, Case, Origin, Proof, Proved, Refused, Safety, Statistics, Verdict,
};
pub use asked::{Asked, NotAsked};
pub use begin::beginning;
pub use cover::{
    CoverOptions, Minimise, NotAttained, Sequence, Status, Suite, cover, item_names, take_symbolic_states,
    with_symbolic_states,
};
pub use data::{Choice, Wish, with_data};
pub use describe::{Description, Said};
pub use generate::{Engine, Options, answer};
pub use kept::{
    About, Broken, ForClass, Judged, Kept, Listed, Nearest, NoQuestion, Test, is_kept, judge, listed, nearest, test_for,
};
pub use meet::{Meets, meets};
pub use safety::{Lifted, property, safety};
pub use script::{
    Act, Allowed, Attempt, Comparison, Expression, Lenience, Script, Seen, script_of_case, script_of_run,
};
pub use sequence::{Disagreement, is_controllable};
pub use shrink::{NotShrunk, Shortest, Shrunk, shrink};
