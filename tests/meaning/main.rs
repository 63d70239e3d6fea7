//! Answers against what they mean: random models, formulas and services, judged by interpretations that share no code with the program.
//!
//! One binary for all of it: linking is what building tests costs most.

#[path = "../binary/mod.rs"]
mod binary;
mod dialogues;
mod loaded;
mod models;
mod pairs;
mod questions;
mod trees;

mod definitions;
mod descriptions;
mod engines;
mod laws;
mod mutations;
mod printing;
mod proofs;
mod quantifiers;
mod random_conformance;
mod random_coverage;
mod random_data;
mod random_kept;
mod random_safety;
mod random_scripts;
mod random_services;
mod random_temporal;
mod reach;
mod reduced_services;
mod shrinking;
mod sound;
mod temporal;
mod values;
