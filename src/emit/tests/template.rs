//! Templates of users over the form (Jinja's language). What is wrong with one is said with its line.

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Environment, ErrorKind, UndefinedBehavior};

use super::form::Form;

/// What is wrong with a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateError {
    /// The file.
    pub file: String,
    /// The line, from one.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

/// Work that a template may do: one that never ends is an error.
const FUEL: u64 = 50_000_000;

fn environment<'t>(name: &'t str, text: &'t str) -> Result<Environment<'t>, TemplateError> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_fuel(Some(FUEL));
    let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true).build();
    environment.set_syntax(syntax.map_err(|error| wrong(name, &error))?);
    environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
    environment.add_template(name, text).map_err(|error| wrong(name, &error))?;
    Ok(environment)
}

/// Whether a template can be read.
pub fn check_template(name: &str, text: &str) -> Result<(), TemplateError> {
    environment(name, text).map(|_| ())
}

/// What a template makes of a form.
pub fn rendered(name: &str, text: &str, form: &Form) -> Result<String, TemplateError> {
    let environment = environment(name, text)?;
    let template = environment.get_template(name).map_err(|error| wrong(name, &error))?;
    template.render(Serde(form)).map_err(|error| wrong(name, &error))
}

fn wrong(name: &str, error: &minijinja::Error) -> TemplateError {
    let what = match error.kind() {
        ErrorKind::OutOfFuel => "the template takes too long".to_owned(),
        kind => kind.to_string(),
    };
    let message = error.detail().map_or(what.clone(), |detail| format!("{what}: {detail}"));
    TemplateError { file: name.to_owned(), line: error.line().unwrap_or(1), message }
}
