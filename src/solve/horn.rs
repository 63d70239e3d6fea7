//! Clauses over predicates that nobody knows: can the predicates be given a meaning that satisfies all of them?
//!
//! The Horn engine of Z3 looks for it. What it finds is put into every clause and each is checked by the plain solver, so
//! that nothing depends on the engine that found it.

use z3::ast::{Ast, Bool, Dynamic, forall_const};
use z3::{FuncDecl, Params, SatResult, Solver as Z3Solver, Sort as Z3Sort};

use super::gave_up::GaveUp;
use super::z3::Z3;
use crate::term::{Sort, Term, Terms};

/// A predicate.
#[derive(Clone, Debug)]
pub struct Predicate {
    /// What it is about.
    pub args: Vec<(String, Sort)>,
}

/// A predicate with arguments.
#[derive(Clone, Debug)]
pub struct Applied {
    /// Its number.
    pub predicate: usize,
    /// Its arguments.
    pub args: Vec<Term>,
}

/// For all values of its symbols: if the predicate and the conditions hold, then the other predicate holds.
#[derive(Clone, Debug)]
pub struct Clause {
    /// None: always.
    pub when: Option<Applied>,
    /// Conditions.
    pub conditions: Vec<Term>,
    /// None: a contradiction.
    pub then: Option<Applied>,
}

/// Whether predicates can satisfy clauses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// They can: a formula for each of them, as SMT-LIB writes it.
    Found(Vec<String>),
    /// They cannot.
    None,
    /// It gave up, for this reason.
    Unknown(GaveUp),
}

/// A clause in terms of Z3.
struct Translated {
    when: Bool,
    conditions: Vec<Bool>,
    then: Bool,
    symbols: Vec<Dynamic>,
}

/// Looks for a meaning; `effort` is in the solver's own units.
pub(super) fn satisfy(
    z3: &mut Z3,
    terms: &Terms,
    predicates: &[Predicate],
    clauses: &[Clause],
    effort: u32,
) -> Result<Meaning, GaveUp> {
    let is_text = |predicate: &Predicate| predicate.args.iter().any(|(_, sort)| *sort == Sort::Text);
    if predicates.iter().any(is_text) {
        return Err("a state with texts".into());
    }
    let declared: Vec<FuncDecl> = predicates.iter().enumerate().map(|(n, predicate)| declare(n, predicate)).collect();
    let translated: Result<Vec<Translated>, String> =
        clauses.iter().map(|clause| translate(z3, terms, &declared, clause)).collect();
    let translated = translated.map_err(GaveUp::Unfit)?;
    let solver = Z3Solver::new_for_logic("HORN").ok_or("no Horn engine")?;
    let mut params = Params::new();
    params.set_u32("rlimit", effort);
    solver.set_params(&params);
    for Translated { when, conditions, then, symbols } in &translated {
        let all: Vec<Bool> = [when].into_iter().chain(conditions).cloned().collect();
        let symbols: Vec<&dyn Ast> = symbols.iter().map(|symbol| symbol as &dyn Ast).collect();
        solver.assert(forall_const(&symbols, &[], &Bool::and(&all).implies(then)));
    }
    match z3.watched(|| solver.check()) {
        SatResult::Unsat => Ok(Meaning::None),
        SatResult::Unknown => Err(z3.gave_up(solver.get_reason_unknown())),
        SatResult::Sat => {
            let model = solver.get_model().ok_or("a model that is not there")?;
            // Without completion: symbols are to stay what they are.
            let meant = |applied: &Bool| model.eval(applied, false).ok_or("a meaning that cannot be read");
            for Translated { when, conditions, then, .. } in &translated {
                let broken: Vec<Bool> =
                    [meant(when)?, meant(then)?.not()].into_iter().chain(conditions.iter().cloned()).collect();
                if !z3.refutes(&broken) {
                    return Err("what the Horn engine found could not be confirmed".into());
                }
            }
            let shown = declared.iter().zip(predicates).map(|(declared, predicate)| {
                let args: Vec<Dynamic> = predicate.args.iter().map(|(name, sort)| named(name, *sort)).collect();
                Ok(one_line(&meant(&applied(declared, &args)?)?.to_string()))
            });
            shown.collect::<Result<Vec<String>, String>>().map(Meaning::Found).map_err(GaveUp::Unfit)
        }
    }
}

fn declare(number: usize, predicate: &Predicate) -> FuncDecl {
    let sorts: Vec<Z3Sort> = predicate.args.iter().map(|(name, sort)| named(name, *sort).get_sort()).collect();
    FuncDecl::new(format!("p{number}"), &sorts.iter().collect::<Vec<_>>(), &Z3Sort::bool())
}

/// A constant of a sort: enumerations are numbers.
fn named(name: &str, sort: Sort) -> Dynamic {
    match sort {
        Sort::Bool => Bool::new_const(name).into(),
        Sort::Real => z3::ast::Real::new_const(name).into(),
        _ => z3::ast::Int::new_const(name).into(),
    }
}

fn applied(declared: &FuncDecl, args: &[Dynamic]) -> Result<Bool, String> {
    let args: Vec<&dyn Ast> = args.iter().map(|arg| arg as &dyn Ast).collect();
    declared.apply(&args).as_bool().ok_or_else(|| "a predicate that is none".to_owned())
}

fn translate(z3: &mut Z3, terms: &Terms, declared: &[FuncDecl], clause: &Clause) -> Result<Translated, String> {
    let mut all: Vec<Term> = clause.conditions.clone();
    let mut predicate = |applied_to: &Option<Applied>, otherwise: bool| match applied_to {
        None => Ok(Bool::from_bool(otherwise)),
        Some(Applied { predicate, args }) => {
            all.extend(args);
            let args: Result<Vec<Dynamic>, String> = args.iter().map(|arg| z3.dynamic(terms, *arg)).collect();
            applied(&declared[*predicate], &args?)
        }
    };
    let (when, then) = (predicate(&clause.when, true)?, predicate(&clause.then, false)?);
    let conditions: Result<Vec<Bool>, String> = clause.conditions.iter().map(|c| z3.condition(terms, *c)).collect();
    let mut known = rustc_hash::FxHashSet::default();
    let mut symbols = vec![];
    for term in all {
        let mut found = vec![];
        terms.each_symbol(term, &mut |symbol| found.push(symbol));
        for symbol in found.into_iter().filter(|symbol| known.insert(*symbol)) {
            symbols.push(z3.symbol(symbol)?);
        }
    }
    Ok(Translated { when, conditions: conditions?, then, symbols })
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
