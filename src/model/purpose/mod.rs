//! Purposes and rules: from trees to history rules for the lists of one model.
//!
//! A rule is written once for lists of any type. It is checked for itself, with types unknown, and again for the types of
//! every use, which gives one compiled rule per combination of types.

mod absent;
mod constraint;
mod drawn;
mod formula;
mod list;
mod property;
mod rule;
mod temporal;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, OnceLock};

use super::assemble::{Assembled, Assembler, assembled};
use super::checked::{Checked, DeclaredPurpose, Parameter};
use super::problem::{Problem, near};
use super::scope::{Binding, Histories, Scope};
use crate::diagnostic::{Diagnostic, Rejected, Severity};
use crate::history::{Acceptor, Criteria, Criterion, Item, ListNames, NoItems, Purpose, Rule};
use crate::syntax::tree::{self, Arg, Ident, ModelUse, PurposeKind};
use crate::syntax::{Sources, Span};
use crate::term::{self, Definitions, Expr, Type, Value};
pub use property::EXCEPTIONAL;
use rule::{ELEMENT, STOP};

/// The standard library, as written in `rules/`.
const LIBRARY: [(&str, &str); 5] = [
    ("rules/coverage.tw", include_str!("../../../rules/coverage.tw")),
    ("rules/presence.tw", include_str!("../../../rules/presence.tw")),
    ("rules/order.tw", include_str!("../../../rules/order.tw")),
    ("rules/sequence.tw", include_str!("../../../rules/sequence.tw")),
    ("rules/counting.tw", include_str!("../../../rules/counting.tw")),
];

fn library() -> &'static BTreeMap<String, tree::Rule> {
    static RULES: OnceLock<BTreeMap<String, tree::Rule>> = OnceLock::new();
    RULES.get_or_init(|| {
        let mut rules = BTreeMap::new();
        for (path, text) in LIBRARY {
            let (sources, errors) = Sources::from_text(path, text);
            assert!(errors.is_empty(), "{path} does not parse: {errors:?}");
            for item in &sources.files()[0].tree.items {
                if let tree::Item::Rule(rule) = item {
                    rules.insert(rule.name.name.clone(), rule.clone());
                }
            }
        }
        rules
    })
}

/// Names that stand for values here: parameters of the purpose with what they were given.
pub type KnownValues = Vec<(String, Value, Type)>;

/// The purpose with this name.
pub fn purpose_named<'c>(checked: &'c Checked, name: &Ident) -> Result<&'c DeclaredPurpose, Rejected> {
    checked.purposes.iter().find(|p| p.tree.name.name == name.name).ok_or_else(|| {
        let near = near(&name.name, checked.purposes.iter().map(|p| p.tree.name.name.as_str()));
        Rejected(vec![Problem::UnknownPurpose { name: name.name.clone(), near }.at(name.span)])
    })
}

/// Puts together the model of a purpose for the purpose's arguments, or the model that is given instead.
pub fn assemble_for(
    checked: &Checked,
    purpose: &DeclaredPurpose,
    args: &[Arg],
    span: Span,
    instead: Option<&ModelUse>,
) -> Result<(Assembled, KnownValues), Rejected> {
    let mut assembler = Assembler::new(checked);
    let name = &purpose.tree.name.name;
    let Some(values) = assembler.arguments(name, &purpose.params, args, span) else {
        return Err(Rejected(assembler.problems));
    };
    let known: KnownValues =
        purpose.params.iter().zip(values).map(|(p, value)| (p.name.clone(), value, p.ty.clone())).collect();
    let model = match instead {
        Some(model) => model,
        None => {
            assembler.known = known.clone();
            &purpose.tree.model
        }
    };
    let process = assembler.model(&model.name, &model.args, model.span, "", true);
    Ok((assembled(assembler, &model.name.name, process)?, known))
}

/// Who asks for a purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AskedBy {
    /// Someone who looks for runs: variables of charts are values to be found.
    Search,
    /// Someone who follows a log: variables of charts are kept as they get their values.
    Log,
}

/// Gives a purpose its meaning over the lists of its model.
pub fn check_purpose(
    checked: &Checked,
    written: &tree::Purpose,
    known: &KnownValues,
    lists: &ListNames,
    criteria: &dyn Criteria,
    asked_by: AskedBy,
) -> Result<(Purpose, Vec<Diagnostic>), Rejected> {
    let bindings = known.iter().map(|(name, value, ty)| (name.clone(), Binding::Known(value.clone(), ty.clone())));
    let mut checker = Checker::new(checked, lists, criteria, bindings.collect());
    checker.model = written.model.name.name.clone();
    checker.asked_by = asked_by;
    let mut purpose = Purpose {
        name: shown_name(&written.name.name, known, &lists.definitions),
        model: written.model.name.name.clone(),
        span: written.span,
        length: vec![],
        constraints: vec![],
        classes: vec![],
        expects_impossible: false,
        rules: vec![],
        lists: vec![],
        open: vec![],
        is_property: written.kind == PurposeKind::Property,
        property: None,
    };
    for (name, [first, second]) in &lists.twice {
        let problem = Problem::TwoLists { name: name.clone(), first: first.clone(), second: second.clone() };
        checker.report(problem, written.model.span);
    }
    checker.block(written, written.kind, &mut purpose);
    purpose.rules = checker.rules.into_iter().flatten().collect();
    purpose.lists = checker.lists;
    purpose.open = checker.open;
    purpose.number_bound();
    let (errors, warnings): (Vec<_>, Vec<_>) =
        checker.problems.into_iter().partition(|p| p.severity == Severity::Error);
    if errors.is_empty() { Ok((purpose, warnings)) } else { Err(Rejected(errors)) }
}

/// Checks a rule for itself: whatever the types of its lists turn out to be, this must be right.
pub(super) fn check_rule(checked: &Checked, rule: &tree::Rule) -> Vec<Diagnostic> {
    let lists = ListNames {
        definitions: std::sync::Arc::new(checked.definitions.clone()),
        first_type: checked.definitions.types.len(),
        entries: vec![],
        numbers: BTreeMap::new(),
        initial: BTreeMap::new(),
        conditions: BTreeMap::new(),
        machines: vec![],
        messages: vec![],
        one_event: false,
        twice: vec![],
    };
    let mut checker = Checker::new(checked, &lists, &NothingToCover, vec![]);
    let names: Vec<&Ident> = rule.lists.iter().chain(rule.params.iter().map(|param| &param.name)).collect();
    for (number, name) in names.iter().enumerate() {
        let has_meaning = name.name == STOP || rule.lists.is_empty() && name.name == ELEMENT;
        if has_meaning {
            checker.report(Problem::BuiltinName { name: name.name.clone() }, name.span);
        } else if names[..number].iter().any(|earlier| earlier.name == name.name) {
            checker.report(Problem::Duplicate { name: name.name.clone() }, name.span);
        }
    }
    let types = vec![Type::Unknown; rule.lists.len().max(1)];
    let origin = Origin::User;
    checker.compiled(origin, rule, types, None, rule.name.span);
    checker.problems
}

/// For rules, which cover nothing.
struct NothingToCover;

impl Criteria for NothingToCover {
    fn items(&self, _: &Criterion) -> Result<Vec<Item>, NoItems> {
        Err(NoItems::Unknown(vec![]))
    }
}

fn shown_name(name: &str, known: &KnownValues, definitions: &Definitions) -> String {
    if known.is_empty() {
        return name.to_owned();
    }
    let values: Vec<String> =
        known.iter().map(|(_, value, _)| term::Shown { value, definitions }.to_string()).collect();
    format!("{name}({})", values.join(", "))
}

/// Where a rule is written. The library's rules see only each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Origin {
    User,
    Library,
}

/// A rule for certain types: origin, name, types of its lists and parameters.
type RuleKey = (Origin, String, Vec<Type>, Vec<Type>);

struct Checker<'a> {
    checked: &'a Checked,
    histories: &'a ListNames,
    criteria: &'a dyn Criteria,
    /// Name of the model.
    model: String,
    asked_by: AskedBy,
    /// Purposes and blocks of items that are being read, each inside the one before.
    blocks: Vec<Block>,
    problems: Vec<Diagnostic>,
    bindings: Vec<(String, Binding)>,
    /// None while a rule is being compiled.
    rules: Vec<Option<Rule>>,
    numbers: HashMap<RuleKey, usize>,
    lists: Vec<Expr>,
    types: Vec<Type>,
    open: Vec<Type>,
    /// The automaton of the last pattern that was read to be matched.
    matched: Option<Arc<Acceptor>>,
}

/// A purpose or a block of items.
struct Block {
    name: String,
    /// Whether its constraints are items.
    kind: PurposeKind,
}

/// A rule with the place it is used at.
struct Surroundings<'r> {
    origin: Origin,
    /// Names and types of the lists; none at the top of a purpose.
    lists: Option<(&'r [String], &'r [Type])>,
    /// Problems are reported here if the rule is not the user's.
    blame: Option<Span>,
}

impl<'a> Checker<'a> {
    fn new(
        checked: &'a Checked,
        histories: &'a ListNames,
        criteria: &'a dyn Criteria,
        bindings: Vec<(String, Binding)>,
    ) -> Checker<'a> {
        Checker {
            checked,
            histories,
            criteria,
            model: String::new(),
            asked_by: AskedBy::Search,
            blocks: vec![],
            problems: vec![],
            bindings,
            rules: vec![],
            numbers: HashMap::new(),
            lists: vec![],
            types: vec![],
            open: vec![],
            matched: None,
        }
    }

    fn report(&mut self, problem: Problem, span: Span) {
        self.add(problem.at(span));
    }

    /// Keeps a problem, once: what is used for several types is checked for each of them.
    fn add(&mut self, problem: Diagnostic) {
        let place = |p: &Diagnostic| (p.span.file, p.span.range(), p.code);
        if !self.problems.iter().any(|known| place(known) == place(&problem) && known.message == problem.message) {
            self.problems.push(problem);
        }
    }

    /// Runs `f` in a scope with the names known here.
    fn scoped<T>(
        &mut self,
        lists: bool,
        element: Option<Type>,
        blame: Option<Span>,
        bindings: Vec<(String, Binding)>,
        locals: usize,
        f: impl FnOnce(&mut Scope<'_>) -> T,
    ) -> T {
        let mut found = vec![];
        let mut scope = Scope::new(&self.checked.names, &self.histories.definitions, &mut found);
        scope.histories =
            Some(Histories { lists: lists.then_some(self.histories), first_type: self.histories.first_type, element });
        scope.bindings = bindings;
        scope.locals = locals;
        let result = f(&mut scope);
        for mut problem in found {
            // A warning about a rule of the library, or about a value that exists only if something is present, helps
            // nobody here: what has no value does not match.
            if problem.severity == Severity::Warning {
                continue;
            }
            if let Some(span) = blame {
                problem.span = span;
            }
            self.add(problem);
        }
        result
    }
}

/// Whether a purpose can be used without arguments.
pub fn needs_no_argument(params: &[Parameter]) -> bool {
    params.iter().all(|p| p.default.is_some())
}
