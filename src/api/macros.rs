//! Assertions for tests in Rust.

use serde_json::Value as Json;

use super::model::Model;

/// A model in an assertion: one that was read already, or where to read it.
pub enum Meant<'m> {
    /// It was read already.
    Read(&'m Model),
    /// `FILE`, or `FILE#Name(args)`.
    Named(&'m str),
}

impl<'m> From<&'m Model> for Meant<'m> {
    fn from(model: &'m Model) -> Meant<'m> {
        Meant::Read(model)
    }
}

impl<'m> From<&'m str> for Meant<'m> {
    fn from(name: &'m str) -> Meant<'m> {
        Meant::Named(name)
    }
}

/// What [`assert_replays!`](crate::assert_replays) asks: nothing to say if the trace is a run of the model, and what
/// `replay` would say if it is not.
pub fn must_replay<'m>(model: impl Into<Meant<'m>>, trace: &Json) -> Result<(), String> {
    let read;
    let model = match model.into() {
        Meant::Read(model) => model,
        Meant::Named(name) => {
            read = Model::read(name).map_err(|error| error.to_string())?;
            &read
        }
    };
    match model.replay(trace).map_err(|error| error.to_string())? {
        replayed if replayed.is_accepted() => Ok(()),
        replayed => Err(replayed.to_string()),
    }
}

/// Fails a test unless a trace is a run of a model; the message is that of `tracewright replay`.
///
/// The model is a [`Model`](crate::Model) or where to read one. The trace is a reference to JSON, made by
/// [`json!`](crate::json) or by the system under test.
///
/// ```
/// use tracewright::{assert_replays, json};
///
/// let recorded = json!({"steps": [{"inputs": {"set": 0}}, {"inputs": {"set": null}, "outputs": {"timeout": true}}]});
/// assert_replays!("examples/blinker.tw#Timer", &recorded);
/// ```
///
/// ```should_panic
/// # use tracewright::{assert_replays, json};
/// // The timer is set to 1, and rings at once.
/// assert_replays!(
///     "examples/blinker.tw#Timer",
///     &json!({"steps": [{"inputs": {"set": 1}}, {"inputs": {"set": null}, "outputs": {"timeout": true}}]})
/// );
/// ```
#[macro_export]
macro_rules! assert_replays {
    ($model:expr, $trace:expr $(,)?) => {
        if let Err(message) = $crate::must_replay($model, $trace) {
            panic!("the trace is no run of the model\n{message}");
        }
    };
}
