//! What `check` finds: everything in a file put together, and what is suspicious about it.

use std::collections::BTreeSet;

use super::model::Model;
use crate::conform::hidden_for_ever;
use crate::diagnostic::{Diagnostic, Rejected, each_once};
use crate::kernel::{StepSystem, Transition, lower};
use crate::model::{self, Checked, Problem};
use crate::reach::{DeadTransition, dead_transitions};
use crate::search::{ByControl, by_control};
use crate::solve::Z3;
use crate::syntax::tree::{Ident, Item, ModelUse, Purpose};
use crate::syntax::{FileId, Sources, Span};
use crate::synth::{Asked, NotAsked};

/// The code of a model with more instances than are put together.
const TOO_MANY_INSTANCES: &str = "E0412";

/// Findings about the model that was named, or about all of the file, and its purposes.
pub(crate) fn findings(meant: &Model) -> Result<Vec<Diagnostic>, Rejected> {
    let mut warnings = meant.warnings.clone();
    let mut errors = vec![];
    if meant.reference.is_some() {
        let assembled = model::assemble(&meant.checked, meant.reference.as_ref(), Span::new(FileId(0), 0, 0))?;
        let system = lower(&assembled).ok();
        warnings.extend(assembled.warnings);
        warnings.extend(dead_transitions(system.as_slice(), &[]).into_iter().map(finding));
        warnings.extend(system.iter().filter_map(|system| never_ends(system, &meant.checked)));
    } else {
        match every_model(&meant.checked) {
            Ok(more) => warnings.extend(more),
            Err(Rejected(more)) => errors = more,
        }
    }
    if !errors.iter().any(|e| e.code == TOO_MANY_INSTANCES) {
        let named = meant.reference.as_ref();
        let is_meant = |purpose: &Purpose| named.is_none_or(|model| model.name.name == purpose.model.name.name);
        let (more_warnings, more_errors) = every_purpose(&meant.checked, named, &is_meant);
        warnings.extend(more_warnings);
        errors.extend(more_errors);
    }
    if !errors.is_empty() {
        each_once(&mut errors);
        return Err(Rejected(errors));
    }
    each_once(&mut warnings);
    Ok(warnings)
}

/// Puts every model that needs no argument together, so that its connections are checked too, and gives the findings.
fn every_model(checked: &Checked) -> Result<Vec<Diagnostic>, Rejected> {
    let (mut warnings, mut errors) = (vec![], vec![]);
    // A part is judged where it stands, not alone: alone, its channels and gates are open to everybody.
    let wholes: BTreeSet<&str> = checked.wholes().into_iter().map(|m| m.name.as_str()).collect();
    let (mut systems, mut elsewhere) = (vec![], vec![]);
    for model in &checked.models {
        let is_whole = wholes.contains(model.name.as_str());
        let mut system = None;
        if model.params.iter().all(|p| p.default.is_some()) {
            let name = Ident { name: model.name.clone(), span: model.span };
            match model::assemble_named(checked, &name, &[], model.span) {
                Ok(assembled) => {
                    system = if is_whole { lower(&assembled).ok() } else { None };
                    warnings.extend(assembled.warnings);
                }
                Err(Rejected(more)) => {
                    let too_large = more.iter().any(|e| e.code == TOO_MANY_INSTANCES);
                    errors.extend(more);
                    // Whatever contains a model that is too large is too large as well.
                    if too_large {
                        break;
                    }
                }
            }
        }
        match system {
            Some(system) => systems.push(system),
            None if is_whole => elsewhere.extend(checked.machines_in(model)),
            None => {}
        }
    }
    if !errors.is_empty() {
        return Err(Rejected(errors));
    }
    warnings.extend(dead_transitions(&systems, &elsewhere).into_iter().map(finding));
    warnings.extend(systems.iter().filter_map(|system| never_ends(system, checked)));
    Ok(warnings)
}

/// What is wrong with purposes beside errors in models: purposes of models that have no part in any of them, so that nothing is an echo.
pub(crate) fn beside(errors: &[Diagnostic], checked: &Checked, sources: &Sources) -> Vec<Diagnostic> {
    let items: Vec<&Item> = sources.files().iter().flat_map(|file| &file.tree.items).collect();
    let mut wrong: BTreeSet<&str> = BTreeSet::new();
    for error in errors {
        let is_around = |item: &&&Item| {
            let span = item.span();
            span.file == error.span.file && (span.start..span.end).contains(&error.span.start)
        };
        match items.iter().find(is_around) {
            Some(Item::Machine(machine)) => wrong.insert(&machine.name.name),
            Some(Item::System(system)) => wrong.insert(&system.name.name),
            Some(Item::Composition(composition)) => wrong.insert(&composition.name.name),
            Some(Item::Service(service)) => wrong.insert(&service.name.name),
            Some(Item::Purpose(purpose)) => wrong.insert(&purpose.model.name.name),
            // What is declared for everybody may be wrong for everybody.
            _ => return vec![],
        };
    }
    loop {
        let is_wrong = |name: &str| wrong.contains(name);
        let uses_one = |model: &&model::Model| model.body.uses().iter().any(|part| is_wrong(&part.name));
        let more = checked.models.iter().filter(|model| !is_wrong(&model.name)).find(uses_one);
        let Some(more) = more else { break };
        wrong.insert(&more.name);
    }
    every_purpose(checked, None, &|purpose| !wrong.contains(purpose.model.name.name.as_str())).1
}

/// Findings about the purposes that are meant and need no argument, for the models they are for or the one that was named, and
/// what is wrong with them.
fn every_purpose(
    checked: &Checked,
    named: Option<&ModelUse>,
    is_meant: &dyn Fn(&Purpose) -> bool,
) -> (Vec<Diagnostic>, Vec<Diagnostic>) {
    let (mut warnings, mut errors) = (vec![], vec![]);
    for purpose in &checked.purposes {
        let tree = &purpose.tree;
        if !is_meant(tree) || !model::needs_no_argument(&purpose.params) {
            continue;
        }
        match Asked::new(checked, purpose, &[], tree.name.span, named) {
            // Whether a property holds is asked for by name.
            Ok(asked) if asked.purpose.is_property => {}
            Ok(asked) => warnings.extend(met_anyway(&asked)),
            Err(NotAsked::Rejected(Rejected(more))) => errors.extend(more),
            Err(NotAsked::Limit(_)) => {}
        }
    }
    (warnings, errors)
}

/// Constraints that no run meets, or every run. Items of a criterion are left to `gen`: their model is to blame.
fn met_anyway(Asked { system, lists, purpose }: &Asked) -> Vec<Diagnostic> {
    let mut findings = vec![];
    for (number, constraint) in purpose.constraints.iter().enumerate().filter(|(_, c)| c.item.is_none()) {
        let name = || purpose.name.clone();
        let problem = match by_control(system, lists, purpose, number) {
            ByControl::Never if !purpose.expects_impossible => Problem::NeverMet { purpose: name() },
            ByControl::Always => Problem::AlwaysMet { purpose: name() },
            _ => continue,
        };
        findings.push(problem.at(constraint.span));
    }
    findings
}

/// Hidden steps of a model that may go on for ever.
fn never_ends(system: &StepSystem, checked: &Checked) -> Option<Diagnostic> {
    let fired = hidden_for_ever(system, Box::new(Z3::new(0)))?;
    let transitions: Vec<&Transition> = fired.iter().map(|(m, t)| &system.machines[*m].transitions[*t]).collect();
    let mut names: Vec<String> = transitions.iter().map(|t| format!("`{}`", t.name)).collect();
    names.dedup();
    // A tick in which nobody does anything.
    if names.is_empty() {
        names.push(format!("`{}`", model::TICK));
    }
    let declared = || checked.models.iter().find(|model| model.name == system.name).map(|model| model.span);
    let span = transitions.first().map(|t| t.span).or_else(declared)?;
    Some(Problem::HiddenForEver { names: names.join(", "), model: system.name.clone() }.at(span))
}

fn finding(dead: DeadTransition) -> Diagnostic {
    let DeadTransition { name, span, model, reason, part } = dead;
    let mut finding = Problem::DeadTransition { name, model, reason }.at(span);
    finding.related.extend(part.map(|part| (part, "this part of its guard".to_owned())));
    finding
}
