//! Programming languages in which tests are written, each with its harness and the skeletons of its adapters beside it.

mod go;
mod java;
mod javascript;
mod python;
mod rust;

pub(super) use go::Go;
pub(super) use java::Java;
pub(super) use javascript::JavaScript;
pub(super) use python::Python;
pub(super) use rust::Rust;
