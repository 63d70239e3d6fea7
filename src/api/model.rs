//! A file that was read and checked, and which of its models is meant.

use super::compare::{Comparing, Comparison, compare};
use super::error::{Error, Message};
use super::find::{self, Found};
use super::findings::{beside, findings};
use super::replay::{DEEP_STACK_BYTES, Replayed, replayed};
use crate::diagnostic::{Diagnostic, Rejected, Severity, each_once};
use crate::kernel::{Given, StepSystem, Trace, lower};
use crate::model::{self, Checked};
use crate::syntax::tree::ModelUse;
use crate::syntax::{self, FileId, Sources, Span};

/// A model, with the purposes and properties of its file.
///
/// ```
/// use tracewright::Model;
///
/// let model = Model::read("examples/blinker.tw")?;
/// let found = model.generate("off_at(7)")?;
/// assert_eq!(found.answer(), "found");
/// let sequence = &found.sequences()[0];
/// assert_eq!(sequence["steps"].as_array().unwrap().len(), 7);
/// assert!(model.replay(sequence)?.is_accepted());
/// # Ok::<(), tracewright::Error>(())
/// ```
pub struct Model {
    pub(crate) sources: Sources,
    pub(crate) checked: Checked,
    pub(crate) warnings: Vec<Diagnostic>,
    pub(crate) reference: Option<ModelUse>,
}

impl Model {
    /// Reads a file, or `FILE#Name(arg, name: arg)`: which model of it, with which parameters.
    ///
    /// ```
    /// let counter = tracewright::Model::read("examples/counter.tw#Counter(2)")?;
    /// assert_eq!(counter.name()?, "Counter");
    /// # Ok::<(), tracewright::Error>(())
    /// ```
    pub fn read(reference: &str) -> Result<Model, Error> {
        let (path, name) = match reference.split_once('#') {
            Some((path, name)) => (path, Some(name)),
            None => (reference, None),
        };
        Model::checked(path, syntax::load(path), name)
    }

    /// Takes a text instead of a file. What it imports is not looked up; that needs [`Model::read`].
    ///
    /// ```
    /// let door = tracewright::Model::parse("sts Door {
    ///     in open(), close()
    ///     initial location Closed
    ///     location Open
    ///     Closed -> Open : ?open
    ///     Open -> Closed : ?close
    /// }")?;
    /// assert_eq!(door.name()?, "Door");
    /// # Ok::<(), tracewright::Error>(())
    /// ```
    pub fn parse(text: &str) -> Result<Model, Error> {
        Model::checked("model.tw", Sources::from_text("model.tw", text), None)
    }

    fn checked(
        path: &str,
        (mut sources, mut problems): (Sources, Vec<Diagnostic>),
        name: Option<&str>,
    ) -> Result<Model, Error> {
        let (checked, findings) = model::check(&sources);
        // What could not be read is missing from the model; errors about that would only be echoes.
        let is_read = problems.is_empty();
        if is_read {
            problems = findings;
        }
        let (mut errors, warnings): (Vec<_>, Vec<_>) =
            problems.into_iter().partition(|p| p.severity == Severity::Error);
        if !errors.is_empty() {
            if is_read {
                errors.extend(beside(&errors, &checked, &sources));
                each_once(&mut errors);
            }
            return Err(Error::rejected(Rejected(errors), sources));
        }
        let reference = match name {
            None => None,
            Some(text) => {
                let id = sources.add_fragment(&format!("{path}#"), text);
                match syntax::parse_model_reference(id, text) {
                    Ok(reference) => Some(reference),
                    Err(errors) => return Err(Error::rejected(Rejected(errors), sources)),
                }
            }
        };
        Ok(Model { sources, checked, warnings, reference })
    }

    /// The name of the model that is meant.
    pub fn name(&self) -> Result<String, Error> {
        Ok(self.step_system()?.name)
    }

    /// What is suspicious in the file, as `check` says it; an error if the model or one of its purposes has no meaning.
    ///
    /// ```
    /// let findings = tracewright::Model::read("examples/blinker.tw")?.check()?;
    /// assert_eq!(findings, []);
    /// # Ok::<(), tracewright::Error>(())
    /// ```
    pub fn check(&self) -> Result<Vec<Message>, Error> {
        match findings(self) {
            Ok(findings) => Ok(findings.iter().map(|finding| Message::of(finding, &self.sources)).collect()),
            Err(rejected) => Err(self.rejected(rejected)),
        }
    }

    /// Looks for a shortest run that meets a purpose, or proves that there is none. The purpose may have arguments:
    /// `off_at(7)`.
    ///
    /// ```
    /// let found = tracewright::Model::read("examples/blinker.tw")?.generate("wrong_order")?;
    /// assert_eq!(found.answer(), "impossible");
    /// assert!(found.to_string().starts_with("wrong_order: impossible\n  proof: "));
    /// # Ok::<(), tracewright::Error>(())
    /// ```
    pub fn generate(&self, purpose: &str) -> Result<Found, Error> {
        find::generate(self, purpose)
    }

    /// Whether a recorded run belongs to the model; the trace is as `tracewright replay` reads it.
    ///
    /// ```
    /// use tracewright::{Model, json};
    ///
    /// let model = Model::read("examples/blinker.tw#Timer")?;
    /// let early = json!({"steps": [{"inputs": {"set": 2}}, {"inputs": {"set": null}, "fired": {"Timer": "timeout"}}]});
    /// let replayed = model.replay(&early)?;
    /// assert_eq!(replayed.step(), Some(2));
    /// assert!(replayed.to_string().contains("`timeout` of `Timer` needs `t == 0` (t is 2)"));
    /// # Ok::<(), tracewright::Error>(())
    /// ```
    pub fn replay(&self, trace: &serde_json::Value) -> Result<Replayed, Error> {
        let system = self.step_system()?;
        let trace = stacker::grow(DEEP_STACK_BYTES, || Trace::from_json(trace, &system)).map_err(Error::Usage)?;
        Ok(replayed("trace", &trace, None, (&system, &Given::default(), &self.sources)))
    }

    /// Whether this model, an implementation, shows only what a specification allows (sioco).
    ///
    /// ```
    /// use tracewright::Model;
    ///
    /// let specification = Model::read("examples/quiescence.tw#Spec")?;
    /// let compared = Model::read("examples/quiescence.tw#Wrong")?.conform(&specification)?;
    /// assert_eq!(compared.conforms(), Some(false));
    /// assert!(compared.to_string().starts_with("Wrong does not conform to Spec\n  ?a()\n"));
    /// # Ok::<(), tracewright::Error>(())
    /// ```
    pub fn conform(&self, specification: &Model) -> Result<Comparison, Error> {
        compare(self, specification, &Comparing::default(), &mut ())
    }

    /// The model that is meant, as a step system.
    pub(crate) fn step_system(&self) -> Result<StepSystem, Error> {
        let start = Span::new(FileId(0), 0, 0);
        let assembled = model::assemble(&self.checked, self.reference.as_ref(), start);
        let assembled = assembled.map_err(|rejected| self.rejected(rejected))?;
        lower(&assembled).map_err(|error| Error::Limit(error.to_string()))
    }

    /// An error in this file.
    pub(crate) fn rejected(&self, rejected: Rejected) -> Error {
        Error::rejected(rejected, copied(&self.sources))
    }
}

/// The texts of files, for messages that point into them.
pub(super) fn copied(sources: &Sources) -> Sources {
    let mut copy = Sources::default();
    for file in sources.files() {
        copy.add_fragment(&file.path, &file.text);
    }
    copy
}
