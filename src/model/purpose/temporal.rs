//! Temporal formulas: events and conditions over the lists of a model, and what is said of when they come.
//!
//! A variable of a formula has one value for the whole run. It is compared for equality only, so that a step tells its value.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Checker;
use crate::history::{
    Acceptor, AsRules, Atom, Exclusion, Formula, ListKind, MAX_LISTED, NoRules, RESULT, Strength, Temporal, Variable,
    automaton, informative, is_safety,
};
use crate::model::expr::base;
use crate::model::pattern::{NameMeans, names_taken};
use crate::model::problem::{Problem, near};
use crate::model::scope::{self, Binding, Capture};
use crate::syntax::tree::PurposeKind;
use crate::syntax::tree::{
    self, Arg, BinaryOp, ExprKind, Ident, Logic, Ltl, LtlBinary, LtlKind, LtlUnary, Scope, UnaryOp,
};
use crate::syntax::{Span, print_expr};
use crate::term::{self, Builtin, Env, Expr, Extent, Fuel, Pattern, Type, Value, extent, finite_values};

/// Patterns by name, with the number of their arguments.
const PATTERNS: [(&str, usize); 5] =
    [("absence", 1), ("existence", 1), ("universality", 1), ("precedence", 2), ("response", 2)];

/// What a formula has been made of so far.
#[derive(Default)]
pub(super) struct Atoms {
    variables: Vec<(Ident, Option<Type>)>,
    /// The first local that stands for a variable.
    first: usize,
    atoms: Vec<Atom>,
    /// For each atom lists and the values that they have wherever it is true, and whether that is all it says.
    at: Vec<At>,
}

/// Lists and their values, and whether nothing else is said.
type At = (Vec<(usize, Value)>, bool);

impl Atoms {
    fn variable(&self, e: &tree::Expr) -> Option<usize> {
        match &e.kind {
            ExprKind::Name(name) => self.variables.iter().position(|(known, _)| known.name == *name),
            _ => None,
        }
    }

    fn is_variable(&self, name: &str) -> bool {
        self.variables.iter().any(|(known, _)| known.name == name)
    }

    fn add(&mut self, condition: Expr, fixes: Vec<(usize, Expr)>, at: At) -> Temporal {
        let atom = Atom { condition, fixes };
        let number = self.atoms.iter().position(|known| *known == atom).unwrap_or_else(|| {
            self.atoms.push(atom);
            self.at.push(at);
            self.atoms.len() - 1
        });
        Temporal::Atom(number)
    }

    /// A truth value of its own.
    pub(super) fn condition(&mut self, condition: Expr) -> Temporal {
        let at: Vec<(usize, Value)> = fixed(&condition).into_iter().collect();
        let is_all = !at.is_empty();
        self.add(condition, vec![], (at, is_all))
    }

    /// Which atoms cannot be true together.
    fn exclusions(&self) -> Vec<Exclusion> {
        let mut out = vec![];
        for (i, (one, _)) in self.at.iter().enumerate() {
            for (j, (other, is_all)) in self.at.iter().enumerate() {
                let differ = |(list, value): &(usize, Value)| other.iter().any(|(l, v)| l == list && v != value);
                if i < j && one.iter().any(differ) {
                    out.push(Exclusion::NotBoth(i, j));
                }
                if i != j && *is_all && other.iter().all(|known| one.contains(known)) {
                    out.push(Exclusion::Implied(i, j));
                }
            }
        }
        out
    }
}

/// The list and the value, of a condition that compares them.
fn fixed(condition: &Expr) -> Option<(usize, Value)> {
    match condition {
        Expr::Binary(term::BinaryOp::Equal, a, b) => match (&**a, &**b) {
            (Expr::Slot(list), Expr::Const(value)) | (Expr::Const(value), Expr::Slot(list)) => {
                Some((*list, value.clone()))
            }
            _ => None,
        },
        Expr::Test(read, Pattern::Equal(value)) => match (&**read, &**value) {
            (Expr::Slot(list), Expr::Const(value)) => Some((*list, value.clone())),
            _ => None,
        },
        // A comparison of a message binds it first.
        Expr::Binary(term::BinaryOp::And, test, rest) => match (&**test, &**rest) {
            (Expr::Test(read, Pattern::Bind(local)), Expr::Binary(term::BinaryOp::Equal, a, b)) => {
                match (&**read, &**a, &**b) {
                    (Expr::Slot(list), Expr::Local(bound), Expr::Const(value))
                    | (Expr::Slot(list), Expr::Const(value), Expr::Local(bound))
                        if bound == local =>
                    {
                        Some((*list, value.clone()))
                    }
                    _ => None,
                }
            }
            _ => None,
        },
        _ => None,
    }
}

impl Checker<'_> {
    /// A temporal formula as rules and as an acceptor; nothing if it has no meaning, which is reported. What is not to hold for
    /// some values is to fail for all of them: no value is open under a negation.
    pub(super) fn logic(&mut self, logic: &Logic, positive: bool, span: Span) -> Option<(Formula, Arc<Acceptor>)> {
        let (formula, atoms) = self.read(logic)?;
        if !positive && !logic.for_all {
            let (formula, acceptor) = self.acceptor(&formula.negated(), atoms, true, span)?;
            return Some((Formula::Not(Box::new(formula)), acceptor));
        }
        self.acceptor(&formula, atoms, logic.for_all, span)
    }

    /// The contrary of a temporal formula as rules and as an acceptor. No value is open under a negation; a property has no need of
    /// rules.
    pub(super) fn contrary(&mut self, logic: &Logic, span: Span) -> Option<(Formula, Arc<Acceptor>)> {
        let (formula, atoms) = self.read(logic)?;
        if !logic.for_all || self.reads_property() {
            return self.acceptor(&formula.negated(), atoms, !logic.for_all, span);
        }
        let (formula, acceptor) = self.acceptor(&formula, atoms, true, span)?;
        Some((Formula::Not(Box::new(formula)), Arc::new(acceptor.contrary())))
    }

    /// A temporal formula over its atoms.
    fn read(&mut self, logic: &Logic) -> Option<(Temporal, Atoms)> {
        let mut atoms = Atoms { first: self.open.len() + logic.variables.len(), ..Atoms::default() };
        let mut is_sound = true;
        for (number, (name, ty)) in logic.variables.iter().enumerate() {
            if logic.variables[..number].iter().any(|(earlier, _)| earlier.name == name.name) {
                self.report(Problem::Duplicate { name: name.name.clone() }, name.span);
                is_sound = false;
            }
            let ty = ty.as_ref().map(|ty| {
                let known = self.bindings.clone();
                self.scoped(false, None, None, known, 0, |scope| scope.resolve(ty))
            });
            atoms.variables.push((name.clone(), ty));
        }
        let formula = self.ltl(&logic.body, &mut atoms)?;
        for (name, ty) in &atoms.variables {
            if ty.is_none() {
                self.report(Problem::CannotInfer, name.span);
                is_sound = false;
            }
        }
        is_sound.then_some((formula, atoms))
    }

    /// The acceptor of a formula over atoms, and its rules.
    pub(super) fn acceptor(
        &mut self,
        formula: &Temporal,
        atoms: Atoms,
        for_all: bool,
        span: Span,
    ) -> Option<(Formula, Arc<Acceptor>)> {
        let is_empty = |(_, ty): &(Ident, Option<Type>)| ty.as_ref().is_some_and(|ty| self.is_empty(ty));
        if atoms.variables.iter().any(is_empty) {
            // All of no values have whatever is asked, and none of them has it.
            return self.acceptor(&Temporal::Truth(for_all), Atoms::default(), for_all, span);
        }
        let (count, exclusions) = (atoms.atoms.len(), atoms.exclusions());
        let is_property = self.reads_property();
        let made = automaton(formula, count, &exclusions).and_then(|automaton| {
            let informative = informative(formula, count, &exclusions)?;
            // Only a property is looked at in this way.
            let is_safety = is_property && is_safety(formula, count, &exclusions)?;
            Ok((automaton, informative, is_safety))
        });
        let Ok((whole, informative, is_safety)) = made else {
            self.report(Problem::FormulaTooLarge, span);
            return None;
        };
        let variables =
            atoms.variables.into_iter().map(|(name, ty)| self.variable(name.name, ty.unwrap_or(Type::Unknown)));
        let acceptor = Acceptor {
            variables: variables.collect(),
            for_all,
            atoms: atoms.atoms,
            automaton: whole,
            informative,
            is_safety,
            is_match: false,
        };
        if !self.tells_values(&acceptor, span) {
            return None;
        }
        // What holds for all values together holds for all values one by one, and rules that follow less are fewer.
        let parts = if for_all && !acceptor.variables.is_empty() { formula.conjuncts() } else { vec![] };
        let part = |part: &Temporal| {
            let made = automaton(part, count, &exclusions).ok()?;
            Some(Acceptor { automaton: made, ..acceptor.clone() }.without_idle_atoms())
        };
        let parts: Option<Vec<Acceptor>> = parts.iter().filter(|_| parts.len() > 1).map(part).collect();
        let formula = match parts.and_then(|parts| self.accepted_together(&parts)) {
            Some(formula) => formula,
            None => self.accepted(&acceptor, Problem::FormulaTooLarge, span)?,
        };
        Some((formula, Arc::new(acceptor)))
    }

    /// A variable of an acceptor.
    pub(super) fn variable(&self, name: String, ty: Type) -> Variable {
        let values = self.values_of(&ty).filter(|values| values.len() <= MAX_LISTED);
        Variable { name, ty, values }
    }

    /// Whether an acceptor can be followed as if there were always one more value that no step mentions, or else all values of its
    /// variables be told apart; reports it if not.
    pub(super) fn tells_values(&mut self, acceptor: &Acceptor, span: Span) -> bool {
        let fuel = Fuel::new();
        let env = Env { definitions: &self.histories.definitions, slots: &[], fuel: &fuel };
        let contrary = self.reads_property().then(|| acceptor.violation());
        let (mut together, mut untold) = (1usize, None);
        for (number, variable) in acceptor.variables.iter().enumerate() {
            let rests = |acceptor: &Acceptor| acceptor.rests_on_unmentioned(number);
            if !rests(acceptor) && !contrary.as_ref().is_some_and(rests) {
                continue;
            }
            match extent(&variable.ty, env) {
                Extent::Endless => {}
                Extent::Listed(values) => {
                    let is_mentioned = (0..acceptor.atoms.len()).any(|atom| acceptor.mentions(atom, number));
                    if is_mentioned {
                        together = together.saturating_mul(values.len());
                    }
                    if together > MAX_LISTED {
                        untold.get_or_insert(variable);
                    }
                }
                Extent::Untold => {
                    untold.get_or_insert(variable);
                }
            }
        }
        let Some(variable) = untold else { return true };
        let ty = variable.ty.name(&self.histories.definitions);
        self.report(Problem::UntoldValues { variable: variable.name.clone(), ty }, span);
        false
    }

    /// The values of a type, where they can be listed.
    fn values_of(&self, ty: &Type) -> Option<Vec<Value>> {
        let fuel = Fuel::new();
        let env = Env { definitions: &self.histories.definitions, slots: &[], fuel: &fuel };
        finite_values(ty, &BTreeMap::new(), env).ok()
    }

    /// Whether a type is known to have no values.
    pub(super) fn is_empty(&self, ty: &Type) -> bool {
        self.values_of(ty).is_some_and(|values| values.is_empty())
    }

    /// The rules of several acceptors for all values, if each of them has some.
    fn accepted_together(&mut self, acceptors: &[Acceptor]) -> Option<Formula> {
        let (mut first, mut made) = (self.rules.len(), vec![]);
        for acceptor in acceptors {
            let rules = acceptor.rules(first, self.open.len()).ok()?;
            first += rules.rules.len();
            made.push(rules);
        }
        let parts: Vec<Formula> = made.into_iter().map(|made| self.add_rules(made)).collect();
        (!parts.is_empty()).then_some(Formula::All(parts))
    }

    /// The rules of an acceptor; what is to be said if there are too many. Of a property it is the acceptor that is asked, by
    /// whoever follows a run, and its contrary by whoever looks for one: it need not have rules.
    pub(super) fn accepted(&mut self, acceptor: &Acceptor, too_large: Problem, span: Span) -> Option<Formula> {
        let made = match acceptor.rules(self.rules.len(), self.open.len()) {
            Ok(made) => made,
            Err(_) if self.reads_property() => return Some(Formula::Decided(true)),
            Err(NoRules::SeveralVariables) => {
                self.report(Problem::ForAllSeveral, span);
                return None;
            }
            Err(NoRules::TooLarge) => {
                self.report(too_large, span);
                return None;
            }
        };
        if !acceptor.for_all {
            self.open.extend(acceptor.variables.iter().map(|variable| variable.ty.clone()));
        }
        Some(self.add_rules(made))
    }

    /// Whether what is read is a property: then a formula is the whole of it, and so is the contrary of a pattern.
    pub(super) fn reads_property(&self) -> bool {
        self.blocks.last().is_some_and(|block| block.kind == PurposeKind::Property)
    }

    /// Rules that are numbered from the next one on.
    pub(super) fn add_rules(&mut self, made: AsRules) -> Formula {
        self.rules.extend(made.rules.into_iter().map(Some));
        let lists: Vec<usize> = made.lists.into_iter().map(|list| self.add_list(list, Type::Unknown)).collect();
        made.formula.with_lists(&|list| lists[list])
    }

    fn ltl(&mut self, written: &Ltl, atoms: &mut Atoms) -> Option<Temporal> {
        Some(match &written.kind {
            LtlKind::Error => return None,
            LtlKind::Atom(expr) => match self.pattern(expr) {
                Some(args) => self.in_scope(expr, &args, Scope::Globally, &[], atoms, written.span)?,
                None => self.happening(expr, atoms)?,
            },
            LtlKind::Scoped { pattern, scope, bounds } => {
                let Some(args) = self.pattern(pattern) else {
                    let name = match &pattern.kind {
                        ExprKind::Call(name, _) => name.name.clone(),
                        _ => print_expr(pattern),
                    };
                    let near = near(&name, PATTERNS.iter().map(|(name, _)| *name));
                    self.report(Problem::UnknownPattern { name, near }, pattern.span);
                    return None;
                };
                self.in_scope(pattern, &args, *scope, bounds, atoms, written.span)?
            }
            LtlKind::Not(inner) => self.ltl(inner, atoms)?.negated(),
            LtlKind::And(f, g) => {
                let (f, g) = (self.ltl(f, atoms), self.ltl(g, atoms));
                f?.and(g?)
            }
            LtlKind::Or(f, g) => {
                let (f, g) = (self.ltl(f, atoms), self.ltl(g, atoms));
                f?.or(g?)
            }
            LtlKind::Implies(f, g) => {
                let (f, g) = (self.ltl(f, atoms), self.ltl(g, atoms));
                f?.implies(g?)
            }
            LtlKind::Unary(spelled, inner) => {
                let inner = self.ltl(inner, atoms)?;
                match spelled.operator {
                    LtlUnary::Next => Temporal::Next(Box::new(inner), Strength::Strong),
                    LtlUnary::WeakNext => Temporal::Next(Box::new(inner), Strength::Weak),
                    LtlUnary::Eventually => inner.eventually(),
                    LtlUnary::Always => inner.always(),
                    LtlUnary::Never => inner.negated().always(),
                    LtlUnary::Yesterday => Temporal::Yesterday(Box::new(inner), Strength::Strong),
                    LtlUnary::WeakYesterday => Temporal::Yesterday(Box::new(inner), Strength::Weak),
                    LtlUnary::Once => inner.once(),
                    LtlUnary::Historically => inner.historically(),
                }
            }
            LtlKind::Binary(spelled, f, g) => {
                let (f, g) = (self.ltl(f, atoms), self.ltl(g, atoms));
                let (f, g) = (f?, g?);
                match spelled.operator {
                    LtlBinary::Until => f.until(g),
                    LtlBinary::WeakUntil => f.weak_until(g),
                    LtlBinary::Release => f.release(g),
                    LtlBinary::Since => f.since(g),
                }
            }
        })
    }

    /// The arguments, of a pattern by its name; a gate of the same name comes first.
    fn pattern(&self, e: &tree::Expr) -> Option<Vec<tree::Expr>> {
        match &e.kind {
            ExprKind::Call(name, args)
                if PATTERNS.iter().any(|(known, _)| *known == name.name)
                    && self.parameters_of(&name.name).is_none() =>
            {
                Some(args.iter().map(|arg| arg.value.clone()).collect())
            }
            _ => None,
        }
    }

    /// A pattern in a part of the run. The formulas are those of the well-known catalogue of property patterns.
    fn in_scope(
        &mut self,
        pattern: &tree::Expr,
        args: &[tree::Expr],
        scope: Scope,
        bounds: &[tree::Expr],
        atoms: &mut Atoms,
        span: Span,
    ) -> Option<Temporal> {
        let ExprKind::Call(name, _) = &pattern.kind else { return None };
        let wanted = PATTERNS.iter().find(|(known, _)| *known == name.name).map_or(0, |(_, count)| *count);
        for (what, expected, found) in
            [(name.name.clone(), wanted, args.len()), (scope.word().to_owned(), scope.bounds(), bounds.len())]
        {
            if expected != found {
                self.report(Problem::ArgumentCount { what, expected, found }, span);
                return None;
            }
        }
        let args: Vec<Option<Temporal>> = args.iter().map(|arg| self.happening(arg, atoms)).collect();
        let bounds: Vec<Option<Temporal>> = bounds.iter().map(|bound| self.happening(bound, atoms)).collect();
        let args: Vec<Temporal> = args.into_iter().collect::<Option<_>>()?;
        let bounds: Vec<Temporal> = bounds.into_iter().collect::<Option<_>>()?;
        let not = |f: &Temporal| f.clone().negated();
        let p = args[0].clone();
        let s = args.last().cloned().unwrap_or(Temporal::Truth(true));
        let kind = name.name.as_str();
        // What holds as long as the part lasts, up to `r` or for ever; `s` is the second argument.
        let up_to = |r: &Temporal, may_last: bool| {
            let until = |f: Temporal, g: Temporal| if may_last { f.weak_until(g) } else { f.until(g) };
            match kind {
                "absence" => until(not(&p), r.clone()),
                "universality" => until(p.clone(), r.clone()),
                // The first argument comes before the second.
                "precedence" => until(not(&s), p.clone().or(r.clone())),
                "response" => {
                    let answered = not(r).until(s.clone().and(not(r)));
                    until(p.clone().implies(answered), r.clone())
                }
                // Before the part ends it must have come; if it need not end, it must come.
                _ if may_last => not(r).until(p.clone().and(not(r))),
                _ => not(r).weak_until(p.clone().and(not(r))),
            }
        };
        let from_here = || match kind {
            "absence" => not(&p).always(),
            "existence" => p.clone().eventually(),
            "universality" => p.clone().always(),
            "precedence" => not(&s).weak_until(p.clone()),
            _ => p.clone().implies(s.clone().eventually()).always(),
        };
        Some(match (scope, &bounds[..]) {
            (Scope::Before, [r]) if kind == "existence" => up_to(r, false),
            (Scope::Before, [r]) => r.clone().eventually().implies(up_to(r, false)),
            (Scope::After, [q]) => {
                let happens = |f: Temporal| not(q).always().or(not(q).until(q.clone().and(f)));
                match kind {
                    "existence" | "precedence" => happens(from_here()),
                    _ => q.clone().implies(from_here()).always(),
                }
            }
            (Scope::Between, [q, r]) if kind == "existence" => q.clone().and(not(r)).implies(up_to(r, false)).always(),
            (Scope::Between, [q, r]) => {
                q.clone().and(not(r)).and(r.clone().eventually()).implies(up_to(r, false)).always()
            }
            (Scope::AfterUntil, [q, r]) => q.clone().and(not(r)).implies(up_to(r, true)).always(),
            _ => from_here(),
        })
    }

    /// An event or a condition, as a Boolean combination of atoms.
    fn happening(&mut self, e: &tree::Expr, atoms: &mut Atoms) -> Option<Temporal> {
        match &e.kind {
            ExprKind::Bool(truth) => Some(Temporal::Truth(*truth)),
            ExprKind::Unary(UnaryOp::Not, inner) => Some(self.happening(inner, atoms)?.negated()),
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
                let (a, b) = (self.happening(a, atoms), self.happening(b, atoms));
                Some(if *op == BinaryOp::And { a?.and(b?) } else { a?.or(b?) })
            }
            ExprKind::Binary(op @ (BinaryOp::Equal | BinaryOp::NotEqual), a, b)
                if atoms.variable(a).or(atoms.variable(b)).is_some() =>
            {
                let (variable, other) = match atoms.variable(a) {
                    Some(variable) => (variable, b),
                    None => (atoms.variable(b)?, a),
                };
                let (list, value) = self.value_of(variable, other, atoms)?;
                let equal = self.equals(atoms, vec![], vec![(variable, value)], (vec![], false));
                match op {
                    BinaryOp::Equal => Some(equal),
                    // What is absent differs from nothing; what is no value of the variable differs from all of them.
                    _ => Some(equal.negated().and(atoms.condition(Expr::Test(Box::new(list), Pattern::Any)))),
                }
            }
            ExprKind::Receive(channel, pattern)
                if names_taken(pattern).iter().any(|(name, _)| atoms.is_variable(name)) =>
            {
                let (conditions, fixes) = self.received(channel, pattern, atoms)?;
                Some(self.equals(atoms, conditions, fixes, (vec![], false)))
            }
            // What is bound hides events and lists.
            _ if scope::root(e).is_some_and(|name| self.hides(name, atoms)) => self.plain_condition(e, atoms),
            ExprKind::Name(name) if !self.is_list(name) && self.gate(name).is_some() => {
                let (list, member) = self.gate(name)?;
                Some(atoms.condition(Expr::slot_is(list, member)))
            }
            // A message that is no truth value itself is there or not.
            ExprKind::Name(_) | ExprKind::Field(..) if self.message_at(e).is_some() => {
                let list = self.message_at(e)?;
                Some(atoms.condition(Expr::Test(Box::new(Expr::Slot(list)), Pattern::Any)))
            }
            ExprKind::Call(name, args) if self.parameters_of(&name.name).is_some() => {
                self.message(name, args, atoms, e.span)
            }
            ExprKind::Name(name) if !self.is_value(name) => self.unknown_event(name, e.span),
            ExprKind::Call(name, _) if !self.is_function(&name.name) => self.unknown_event(&name.name, name.span),
            _ => self.plain_condition(e, atoms),
        }
    }

    /// Whether a name is bound, by the formula or around it.
    fn hides(&self, name: &str, atoms: &Atoms) -> bool {
        atoms.is_variable(name) || self.bindings.iter().any(|(known, _)| known == name)
    }

    /// Whether a name stands for something that can be looked at.
    fn is_value(&self, name: &str) -> bool {
        self.is_list(name) || self.checked.names.constants.contains_key(name)
    }

    fn is_function(&self, name: &str) -> bool {
        let names = &self.checked.names;
        name == "pre"
            || names.functions.contains_key(name)
            || names.constructors.contains_key(name)
            || Builtin::NAMED.iter().any(|(known, ..)| *known == name)
    }

    fn unknown_event(&mut self, name: &str, span: Span) -> Option<Temporal> {
        let gates = self.histories.numbers.get("gate").map(|list| self.histories.members(*list)).unwrap_or_default();
        let lists = self.histories.numbers.keys().map(String::as_str);
        let patterns = PATTERNS.iter().map(|(name, _)| *name);
        let near = near(name, gates.into_iter().chain(lists).chain(patterns));
        self.report(Problem::UnknownEvent { name: name.to_owned(), near }, span);
        None
    }

    /// A condition without variables.
    fn plain_condition(&mut self, e: &tree::Expr, atoms: &mut Atoms) -> Option<Temporal> {
        let (list, ty) = self.without_variables(atoms, |scope| scope.listed(e))?;
        if *base(&ty) != Type::Bool {
            let (expected, found) = ("Bool".to_owned(), ty.name(&self.histories.definitions));
            self.report(Problem::Mismatch { expected, found }, e.span);
            return None;
        }
        let told = fixed(&list);
        // Data is there at its gate only, so that nothing more needs to be said for it to be all.
        let is_all = told.is_some();
        let behind = self.gate_behind(e, &list);
        let at: Vec<(usize, Value)> = told.into_iter().chain(behind).collect();
        Some(atoms.add(list, vec![], (at, is_all)))
    }

    /// The gate at which a comparison of data can be true.
    fn gate_behind(&self, e: &tree::Expr, list: &Expr) -> Option<(usize, Value)> {
        if !matches!(e.kind, ExprKind::Binary(..)) {
            return None;
        }
        let mut gates = vec![];
        list.map_leaves(&mut |leaf| {
            if let Expr::Slot(slot) = leaf {
                let entry = &self.histories.entries[*slot];
                let gate = entry.name.split_once('.').filter(|_| entry.is_message).map(|(gate, _)| gate.to_owned());
                gates.push(gate);
            }
            None
        });
        gates.into_iter().flatten().find_map(|gate| self.gate(&gate))
    }

    /// What is read beside the variables of a formula, whose places come first; what it binds comes after them. The places
    /// where variables are read, and the values of those that a pattern captures.
    fn beside<T>(&mut self, atoms: &Atoms, make: impl FnOnce(&mut scope::Scope<'_>) -> T) -> Option<(T, Beside)> {
        let open = self.open.len();
        let variables = atoms.variables.iter().enumerate().map(|(number, (name, ty))| {
            let ty = ty.clone().unwrap_or(Type::Unknown);
            (name.name.clone(), Binding::Local(open + number, ty))
        });
        let known = self.bindings.iter().cloned().chain(variables).collect();
        let before = self.problems.len();
        let (made, beside) = self.scoped(true, None, None, known, atoms.first, |scope| {
            let made = make(scope);
            let equal = scope.equalities();
            let reads = std::mem::take(&mut scope.reads).into_iter().filter(|(local, _)| *local < atoms.first);
            let captures = std::mem::take(&mut scope.captures);
            (made, Beside { reads: reads.collect(), captures, equal, free: scope.locals })
        });
        (self.problems.len() == before).then_some((made, beside))
    }

    /// A list that looks at no variable.
    fn without_variables(
        &mut self,
        atoms: &Atoms,
        make: impl FnOnce(&mut scope::Scope<'_>) -> (Expr, Type),
    ) -> Option<(Expr, Type)> {
        let ((list, ty), beside) = self.beside(atoms, make)?;
        if let Some((variable, span)) = beside.reads.first() {
            let name = atoms.variables[variable - self.open.len()].0.name.clone();
            self.report(Problem::VariableNotEqual { name }, *span);
            return None;
        }
        let list = self.strict(list, &ty, beside.free);
        let open = self.open.len();
        Some((list.renumber_locals(&|local| local - open), ty.shape()))
    }

    /// That an element fits a pattern with variables: the conditions, and the values of the variables.
    fn received(&mut self, channel: &tree::Expr, pattern: &tree::Expr, atoms: &mut Atoms) -> Option<Captured> {
        let (list, ty) = self.without_variables(atoms, |scope| scope.listed(channel))?;
        self.captured(list, &ty, pattern, atoms)
    }

    /// That an element, over the places of a formula, fits the pattern of an event.
    fn captured(&mut self, element: Expr, ty: &Type, written: &tree::Expr, atoms: &mut Atoms) -> Option<Captured> {
        let (pattern, beside) = self.beside(atoms, |scope| scope.pattern(written, ty, NameMeans::Event))?;
        let open = self.open.len();
        let captured = |local: &usize| beside.captures.iter().filter(|c| c.variable == *local).count();
        let in_expressions = |(local, _): &&(usize, Span)| {
            beside.reads.iter().filter(|(read, _)| read == local).count() > captured(local)
        };
        if let Some((variable, span)) = beside.reads.iter().rev().find(in_expressions) {
            let name = atoms.variables[variable - open].0.name.clone();
            self.report(Problem::VariableNotEqual { name }, *span);
            return None;
        }
        let placed = |e: &Expr| e.renumber_locals(&|local| local - open);
        let pattern = pattern.renumber_locals(&|local| local - open);
        let mut fixes = vec![];
        for Capture { variable, bound, ty } in &beside.captures {
            let value = taken(&element, &pattern, bound - open);
            fixes.push((variable - open, self.typed(variable - open, value, ty.clone(), written.span, atoms)?));
        }
        let conditions = match pattern {
            Pattern::Any | Pattern::Bind(_) => vec![],
            Pattern::Equal(value) => {
                let equal = Expr::Binary(term::BinaryOp::Equal, Box::new(element), value);
                vec![self.strict(equal, &Type::Bool, beside.free - open)]
            }
            pattern => {
                let pattern = self.strict_pattern(&pattern, beside.free - open);
                let fits = Expr::Test(Box::new(element), pattern);
                let all = Expr::all(std::iter::once(fits).chain(beside.equal.iter().map(placed)));
                vec![self.strict(all, &Type::Bool, beside.free - open)]
            }
        };
        Some((conditions, fixes))
    }

    /// The list whose elements a variable is compared with, and the value of the variable there; its type is theirs.
    fn value_of(&mut self, variable: usize, e: &tree::Expr, atoms: &mut Atoms) -> Option<(Expr, Expr)> {
        let (list, ty) = self.without_variables(atoms, |scope| scope.listed(e))?;
        let value = self.typed(variable, list.clone(), ty, e.span, atoms)?;
        Some((list, value))
    }

    /// The value of a variable, where it has one: of the type that is written for it, or else that of the list.
    fn typed(&mut self, variable: usize, list: Expr, ty: Type, span: Span, atoms: &mut Atoms) -> Option<Expr> {
        let known = atoms.variables[variable].1.get_or_insert_with(|| ty.shape());
        if known.shape() != ty.shape() {
            let definitions = &self.histories.definitions;
            let (expected, found) = (known.name(definitions), ty.name(definitions));
            self.report(Problem::Mismatch { expected, found }, span);
            return None;
        }
        if !known.is_narrow() {
            return Some(list);
        }
        // What is present and has another type is no value of the variable.
        let known = known.clone();
        let free = atoms.variables.len();
        let value = Box::new(Expr::Narrow(Box::new(Expr::Local(free)), known));
        let present = Box::new(Expr::Test(Box::new(list), Pattern::Bind(free)));
        Some(Expr::If(present, value, Box::new(Expr::Const(Value::Absent))))
    }

    /// An atom that is true if some conditions are, and lists have the values of variables.
    fn equals(&mut self, atoms: &mut Atoms, conditions: Vec<Expr>, fixes: Vec<(usize, Expr)>, at: At) -> Temporal {
        let equal = fixes.iter().map(|(variable, value)| is_value(value, Expr::Local(*variable)));
        let condition = Expr::all(conditions.into_iter().chain(equal));
        // A variable that is read twice has one value, and the other one is compared with it.
        let mut once: Vec<(usize, Expr)> = vec![];
        for (variable, value) in fixes {
            if !once.iter().any(|(known, _)| *known == variable) {
                once.push((variable, value));
            }
        }
        atoms.add(condition, once, at)
    }

    /// The list of a message that is no truth value.
    fn message_at(&self, e: &tree::Expr) -> Option<usize> {
        let list = *self.histories.numbers.get(&scope::path(e)?)?;
        let entry = &self.histories.entries[list];
        (entry.is_message && *base(&entry.ty) != Type::Bool && entry.kind == ListKind::Data).then_some(list)
    }

    fn is_list(&self, name: &str) -> bool {
        self.histories.numbers.contains_key(name)
    }

    /// The list of gates, and the gate of this name.
    fn gate(&self, name: &str) -> Option<(usize, Value)> {
        let list = self.histories.numbers.get("gate").copied()?;
        let member = self.histories.members(list).iter().position(|known| *known == name)?;
        Some((list, self.histories.member(list, member)))
    }

    /// The lists of a message's data, by parameter: those of a gate, or the message itself.
    fn parameters_of(&self, name: &str) -> Option<Vec<(String, String)>> {
        if self.gate(name).is_some() {
            let own = format!("{name}.");
            let entries = self.histories.entries.iter().filter(|entry| entry.is_message);
            let params = entries.filter_map(|entry| {
                let param = entry.name.strip_prefix(&own)?;
                (!param.contains('.')).then(|| (param.to_owned(), entry.name.clone()))
            });
            return Some(params.collect());
        }
        let list = self.histories.numbers.get(name)?;
        self.histories.entries[*list].is_message.then(|| vec![(name.to_owned(), name.to_owned())])
    }

    /// `order(x, 3)`, `interval(n)`
    fn message(&mut self, name: &Ident, args: &[Arg], atoms: &mut Atoms, span: Span) -> Option<Temporal> {
        let params = self.parameters_of(&name.name)?;
        let mut conditions = vec![];
        let mut at: At = (vec![], false);
        match self.gate(&name.name) {
            Some((list, member)) => {
                at = (vec![(list, member.clone())], args.is_empty());
                conditions.push(Expr::slot_is(list, member));
            }
            None => {
                let list = *self.histories.numbers.get(&name.name)?;
                conditions.push(Expr::Test(Box::new(Expr::Slot(list)), Pattern::Any));
            }
        }
        let mut fixes = vec![];
        let mut is_sound = true;
        // A result need not be said.
        let least = params.len() - usize::from(params.last().is_some_and(|(param, _)| param == RESULT));
        if args.iter().all(|arg| arg.name.is_none()) && !(least..=params.len()).contains(&args.len()) {
            let what = name.name.clone();
            self.report(Problem::ArgumentCount { what, expected: params.len(), found: args.len() }, span);
            return None;
        }
        for (number, Arg { name: param, value }) in args.iter().enumerate() {
            let found = match param {
                Some(param) => params.iter().find(|(known, _)| *known == param.name),
                None => params.get(number),
            };
            let Some((_, list)) = found else {
                let what = name.name.clone();
                let problem = match param {
                    Some(param) => {
                        let near = near(&param.name, params.iter().map(|(known, _)| known.as_str()));
                        Problem::UnknownArgument { what, name: param.name.clone(), near }
                    }
                    None => Problem::ArgumentCount { what, expected: params.len(), found: args.len() },
                };
                self.report(problem, value.span);
                is_sound = false;
                continue;
            };
            let slot = *self.histories.numbers.get(list)?;
            let ty = self.histories.entries[slot].ty.clone();
            match self.captured(Expr::Slot(slot), &ty, value, atoms) {
                Some((asked, values)) => {
                    at.0.extend(asked.iter().filter_map(fixed));
                    conditions.extend(asked);
                    fixes.extend(values);
                }
                None => is_sound = false,
            }
        }
        is_sound.then(|| self.equals(atoms, conditions, fixes, at))
    }
}

/// What is found beside the variables of a formula.
struct Beside {
    /// Variables that are read, with the places.
    reads: Vec<(usize, Span)>,
    captures: Vec<Capture>,
    /// What patterns say beside what they look like.
    equal: Vec<Expr>,
    /// The first local that is free.
    free: usize,
}

/// Conditions on a step, and the values of variables in it.
type Captured = (Vec<Expr>, Vec<(usize, Expr)>);

/// What stands in an element where a pattern binds a local; absent if the element does not fit.
pub(super) fn taken(element: &Expr, pattern: &Pattern, bound: usize) -> Expr {
    match only(pattern, bound) {
        Pattern::Bind(_) => element.clone(),
        pattern => {
            let fits = Expr::Test(Box::new(element.clone()), pattern);
            Expr::If(Box::new(fits), Box::new(Expr::Local(bound)), Box::new(Expr::Const(Value::Absent)))
        }
    }
}

/// That a value which a pattern took is another one.
pub(super) fn is_value(taken: &Expr, value: Expr) -> Expr {
    match taken {
        // The same without a value that may be absent, which is more work for a search.
        Expr::If(fits, bound, absent)
            if **absent == Expr::Const(Value::Absent) && matches!(**bound, Expr::Local(_)) =>
        {
            Expr::all([(**fits).clone(), Expr::Binary(term::BinaryOp::Equal, bound.clone(), Box::new(value))])
        }
        _ => Expr::Test(Box::new(taken.clone()), Pattern::Equal(Box::new(value))),
    }
}

/// The pattern, asking for no more than it takes to get at one place.
fn only(pattern: &Pattern, bound: usize) -> Pattern {
    match pattern {
        Pattern::Bind(local) if *local == bound => pattern.clone(),
        Pattern::Any | Pattern::Bind(_) | Pattern::Equal(_) => Pattern::Any,
        Pattern::Absent => Pattern::Absent,
        Pattern::Data(ty, constructor, fields) => {
            Pattern::Data(*ty, *constructor, fields.iter().map(|field| only(field, bound)).collect())
        }
        Pattern::List { elements, rest } => Pattern::List {
            elements: elements.iter().map(|element| only(element, bound)).collect(),
            rest: rest.map(|rest| rest.filter(|local| *local == bound)),
        },
    }
}
