//! L1. The symbolic meaning of an expression under an assignment is its evaluation, and so is Z3's; definedness included.
//!
//! The judge is the evaluator. It shares the types, the checked expression and, in the table of operators, order and
//! definedness with the symbolic meaning; it shares neither terms nor what they simplify to. Values are opened here, not
//! by the program: simple ones as symbols, structures with open members that may coincide, maps with writes that are
//! overwritten or removed, and all of them below choices.

use std::collections::BTreeMap;

use tracewright::diagnostic::Severity;
use tracewright::model;
use tracewright::solve::{Solver, Verdict, Z3};
use tracewright::syntax::Sources;
use tracewright::term::{
    Definitions, Env, Expr, Failure, Fuel, OpenFrame, Sort, Symbol, Symbolic, Term, Terms, Value, eval,
};

use super::random::{Random, Scope, Ty};

/// Expressions that are checked together.
const TOGETHER: u64 = 20;

/// What became of the questions.
#[derive(Debug, Default)]
struct Count {
    agreed: u64,
    undefined: u64,
    /// Those whose symbolic meaning is no constant.
    open: u64,
    unsupported: BTreeMap<String, u64>,
    limits: u64,
    unsure: u64,
}

/// Functions without parameters for values, and functions of these values, in a file.
struct Asked {
    text: String,
    /// Of each function: its name, and how many parameters it has.
    functions: Vec<(String, usize)>,
}

/// Types of the values of a question: numbers, so that most leaves of an expression are open, collections of them, and others.
fn scope(random: &mut Random) -> Vec<Ty> {
    let int = || Box::new(Ty::Int);
    let mut types = vec![Ty::Int, Ty::Int];
    types.push(random.one(&[Ty::Int, Ty::Bool, Ty::Colour, Ty::Range(0, 2), Ty::Even, Ty::Point, Ty::Real]).clone());
    let collections = [
        Ty::List(int()),
        Ty::Set(int()),
        Ty::Map(int(), int()),
        Ty::Option(int()),
        Ty::Set(Box::new(Ty::Colour)),
        Ty::Map(Box::new(Ty::Colour), int()),
        Ty::List(Box::new(Ty::Option(int()))),
        Ty::Tree,
    ];
    types.extend((0..random.rng.usize(1..3)).map(|_| random.one(&collections).clone()).collect::<Vec<_>>());
    types.extend(random.rng.bool().then(|| random.stored(2)));
    types
}

/// A collection of small numbers for questions about writes, so that they often meet what is there, and each other.
fn written_to(random: &mut Random) -> Ty {
    let number = |random: &mut Random| Box::new(random.one(&[Ty::Int, Ty::Range(0, 2), Ty::Even]).clone());
    let key = |random: &mut Random| Box::new(random.one(&[Ty::Int, Ty::Range(0, 2), Ty::Colour]).clone());
    match random.rng.usize(..6) {
        0 => Ty::List(number(random)),
        1 => Ty::Set(number(random)),
        _ => Ty::Map(key(random), number(random)),
    }
}

/// What is written somewhere: anything, or what the type allows.
fn element(random: &mut Random, ty: &Ty, scope: &Scope) -> String {
    let depth = random.rng.usize(..2);
    match random.rng.bool().then(|| random.value(ty)).flatten() {
        Some(value) => value,
        None => random.expr(&ty.base(), scope, depth),
    }
}

/// The last name of a scope, a collection of small numbers or with small keys, with more written into it, often in the same place again: what is lost that way may have
/// been outside the type.
fn writes(random: &mut Random, scope: &Scope) -> String {
    let (name, ty) = scope.last().expect("a collection").clone();
    // One place that is known and one that may be open, which may be the same.
    let (known, open) = match &ty {
        Ty::Map(key, _) if **key == Ty::Colour => (random.value(key), random.expr(key, scope, 0)),
        _ => (random.value(&Ty::Range(0, 2)), scope[0].0.clone()),
    };
    let places = [known.expect("a value"), open];
    let mut made = name;
    for _ in 0..random.rng.usize(1..5) {
        let place = random.one(&places).clone();
        made = match &ty {
            Ty::List(of) => format!("put({made}, {place}, {})", element(random, of, scope)),
            Ty::Set(of) => {
                let word = random.word(&["insert", "insert", "remove"]);
                format!("{word}({made}, {})", element(random, of, scope))
            }
            Ty::Map(..) if random.rarely(4) => format!("remove({made}, {place})"),
            Ty::Map(_, value) => format!("put({made}, {place}, {})", element(random, value, scope)),
            other => unreachable!("{other} is no collection"),
        };
    }
    match &ty {
        Ty::Map(_, value) if random.rng.bool() => {
            format!("put({made}, {}, {})", places[1], random.value(value).expect("a value"))
        }
        _ => made,
    }
}

/// A type, and an expression about the last name of a scope after some writes: the collection, which may have left the type, or
/// something that is read from it.
fn about_writes(random: &mut Random, scope: &Scope) -> (Ty, String) {
    let ty = scope.last().expect("a collection").1.clone();
    let made = writes(random, scope);
    let mut some = |ty: &Ty| random.expr(&ty.base(), scope, 0);
    let read = match &ty {
        Ty::List(of) => vec![(of.base(), format!("{made}[{}]", some(&Ty::Int)))],
        Ty::Set(of) => vec![(Ty::Bool, format!("({} in {made})", some(of))), (Ty::Int, format!("size({made})"))],
        Ty::Map(key, value) => vec![
            (Ty::Bool, format!("({} in {made})", some(key))),
            (value.base(), format!("{made}[{}]", some(key))),
            (Ty::Option(value.clone()).base(), format!("get({made}, {})", some(key))),
            (Ty::Set(key.clone()).base(), format!("keys({made})")),
            (Ty::Int, format!("size({made})")),
        ],
        other => unreachable!("{other} is no collection"),
    };
    match random.rng.usize(..3) {
        0 => (ty, made),
        1 => (random.narrowed(ty.base()), made),
        _ => random.one(&read).clone(),
    }
}

/// A type, and any expression.
fn anything(random: &mut Random, scope: &Scope) -> (Ty, String) {
    let result = match random.rng.usize(..4) {
        0 => Ty::Bool,
        1 => random.stored(2),
        _ => random.ty(1),
    };
    let depth = random.rng.usize(2..6);
    // Expressions that say little of their names are less likely to be asked about.
    let says_little = |body: &str| scope.iter().map(|(name, _)| body.matches(name.as_str()).count()).sum::<usize>() < 3;
    let mut body = random.expr(&result.base(), scope, depth);
    for _ in 0..10 {
        if says_little(&body) {
            body = random.expr(&result.base(), scope, depth);
        }
    }
    (result, body)
}

fn asked(random: &mut Random) -> Asked {
    let mut text = String::new();
    let mut functions = vec![];
    for number in 0..TOGETHER {
        let mut scope: Scope = vec![];
        let is_about_writes = random.rarely(3);
        let types = match is_about_writes {
            true => vec![Ty::Range(0, 2), Ty::Int, written_to(random)],
            false => self::scope(random),
        };
        for (place, ty) in types.into_iter().enumerate() {
            for kind in ["value", "other"] {
                let value = random.value(&ty).expect("a type with values");
                text.push_str(&format!("fun {kind}{number}_{place}(): {ty} = {value}\n"));
            }
            scope.push((format!("p{place}"), ty));
        }
        let count = scope.len();
        let ask_about = if is_about_writes { about_writes } else { anything };
        let (result, body) = ask_about(random, &scope);
        let params: Vec<String> = scope.iter().map(|(name, ty)| format!("{name}: {ty}")).collect();
        text.push_str(&format!("fun f{number}({}): {result} = {body}\n", params.join(", ")));
        functions.push((format!("f{number}"), count));
    }
    Asked { text: random.declarations() + &text, functions }
}

fn definitions(text: &str) -> Definitions {
    let (sources, errors) = Sources::from_text("model.tw", text);
    assert!(errors.is_empty(), "{errors:?}\n{text}");
    let (checked, problems) = model::check(&sources);
    assert!(problems.iter().all(|p| p.severity == Severity::Warning), "{problems:?}\n{text}");
    checked.definitions
}

fn body<'d>(definitions: &'d Definitions, name: &str) -> &'d Expr {
    &definitions.functions.iter().find(|f| f.name == name).expect("a function").body
}

fn value(definitions: &Definitions, expr: &Expr, args: Vec<Value>) -> Result<Value, Failure> {
    let fuel = Fuel::new();
    eval(expr, Env { definitions, slots: &[], fuel: &fuel }, &mut args.clone())
}

/// Opens values.
struct Opener<'a> {
    rng: &'a mut fastrand::Rng,
    terms: &'a mut Terms,
    definitions: &'a Definitions,
    /// Values of the symbols.
    assignment: Vec<(Symbol, Value)>,
}

impl Opener<'_> {
    fn rarely(&mut self, times: usize) -> bool {
        self.rng.usize(..times) == 0
    }

    fn symbol(&mut self, sort: Sort, value: Value) -> Term {
        let symbol = Symbol { number: self.assignment.len() as u32, sort };
        self.assignment.push((symbol, value));
        self.terms.symbol(symbol)
    }

    /// The value, or the other one, below a choice.
    fn chosen(&mut self, value: &Value, other: &Value) -> Term {
        let value = self.opened(value);
        if self.rng.bool() {
            return value;
        }
        let other = self.opened(other);
        let is_first = self.rng.bool();
        let which = self.symbol(Sort::Bool, Value::Bool(is_first));
        let (a, b) = if is_first { (value, other) } else { (other, value) };
        self.terms.choose(which, a, b)
    }

    fn opened(&mut self, value: &Value) -> Term {
        if self.rarely(5) {
            return self.terms.constant(value.clone());
        }
        match value {
            Value::Absent => unreachable!("no value of a type"),
            Value::Bool(_) => self.symbol(Sort::Bool, value.clone()),
            Value::Int(_) => self.symbol(Sort::Int, value.clone()),
            Value::Real(_) => self.symbol(Sort::Real, value.clone()),
            Value::Text(_) => self.symbol(Sort::Text, value.clone()),
            Value::Data(ty, ..) if *ty != Definitions::OPTION && self.definitions.types[*ty].is_enum() => {
                self.symbol(Sort::Enum(*ty), value.clone())
            }
            Value::Data(ty, constructor, args) => {
                let args = args.iter().map(|arg| self.opened(arg)).collect();
                let data = self.terms.data(*ty, *constructor, args);
                match *ty == Definitions::OPTION && self.rng.bool() {
                    true => {
                        let none = self.terms.constant(Value::Data(*ty, 0, [].into()));
                        let is_there = self.symbol(Sort::Bool, Value::Bool(true));
                        self.terms.choose(is_there, data, none)
                    }
                    false => data,
                }
            }
            Value::List(list) => {
                let elements = list.iter().map(|element| self.opened(element)).collect();
                self.terms.list(elements)
            }
            Value::Set(set) => {
                let mut members = vec![];
                for member in set.iter() {
                    members.push(self.opened(member));
                    // Another member that is equal, as it happens.
                    if self.rarely(4) {
                        members.push(self.opened(member));
                    }
                }
                self.rng.shuffle(&mut members);
                self.terms.set(members)
            }
            Value::Map(map) => {
                let mut entries: Vec<(&Value, &Value)> = map.iter().collect();
                self.rng.shuffle(&mut entries);
                let mut writes = vec![];
                for (key, value) in &entries {
                    if self.rarely(4) {
                        let (_, other) = entries[self.rng.usize(..entries.len())];
                        writes.push((self.opened(key), Some(self.opened(other))));
                    }
                    if self.rarely(6) {
                        writes.push((self.opened(key), None));
                    }
                    writes.push((self.opened(key), Some(self.opened(value))));
                }
                self.terms.map(writes)
            }
        }
    }
}

/// Asks about one function; an error says how the meanings differ.
fn ask(
    definitions: &Definitions,
    (name, params): (&str, usize),
    random: &mut Random,
    terms: &mut Terms,
    z3: Option<&mut Z3>,
    count: &mut Count,
) -> Result<(), String> {
    let constant = |kind: &str, place: usize| {
        let name = format!("{kind}{}_{place}", &name[1..]);
        value(definitions, body(definitions, &name), vec![]).expect("a value")
    };
    let args: Vec<Value> = (0..params).map(|place| constant("value", place)).collect();
    let expected = match value(definitions, body(definitions, name), args.clone()) {
        Ok(value) => Some(value),
        Err(Failure::Undefined(_)) => None,
        Err(Failure::Limit(_)) => {
            count.limits += 1;
            return Ok(());
        }
        Err(failure) => return Err(failure.to_string()),
    };
    let mut opener = Opener { rng: &mut random.rng, terms, definitions, assignment: vec![] };
    let mut frame: OpenFrame = vec![];
    for (place, arg) in args.iter().enumerate() {
        frame.push(Some(opener.chosen(arg, &constant("other", place))));
    }
    let assignment = opener.assignment;
    let shown = |terms: &Terms, frame: &OpenFrame| {
        let frame: Vec<String> = frame.iter().flatten().take(params).map(|term| text(terms, *term)).collect();
        format!("args {args:?}\nopened {frame:?}\nassignment {assignment:?}\nexpected {expected:?}")
    };
    let opened = frame.clone();
    let made = match Symbolic::new(terms, definitions, &[]).eval(body(definitions, name), &mut frame) {
        Ok(made) => made,
        Err(unsupported) => {
            *count.unsupported.entry(unsupported.0).or_default() += 1;
            return Ok(());
        }
    };
    let values: Vec<Value> = assignment.iter().map(|(_, value)| value.clone()).collect();
    let defined = terms.value_under(made.defined, &values);
    if defined != Some(Value::Bool(expected.is_some())) {
        return Err(format!("{}\ndefined {defined:?}: {}", shown(terms, &opened), text(terms, made.defined)));
    }
    if expected.is_some() {
        let found = terms.value_under(made.value, &values);
        if found != expected {
            return Err(format!("{}\nvalue {found:?}: {}", shown(terms, &opened), text(terms, made.value)));
        }
    }
    count.agreed += 1;
    count.undefined += u64::from(expected.is_none());
    count.open += u64::from([made.value, made.defined].iter().any(|term| terms.value(*term).is_none()));
    let Some(z3) = z3 else { return Ok(()) };
    let mut assumed = vec![];
    for (symbol, value) in &assignment {
        let (symbol, value) = (terms.symbol(*symbol), terms.constant(value.clone()));
        assumed.push(terms.equal(symbol, value));
    }
    let right = match &expected {
        Some(value) => {
            let value = terms.constant(value.clone());
            let equal = terms.equal(made.value, value);
            terms.and(made.defined, equal)
        }
        None => terms.not(made.defined),
    };
    for (condition, is_satisfiable) in [(right, true), (terms.not(right), false)] {
        match z3.check(terms, &[&assumed[..], &[condition]].concat()) {
            Verdict::Satisfiable(_) if is_satisfiable => {}
            Verdict::Unsatisfiable(_) if !is_satisfiable => {}
            Verdict::Unknown(_) => count.unsure += 1,
            verdict => {
                return Err(format!("{}\nZ3 {verdict:?} of {}", shown(terms, &opened), text(terms, condition)));
            }
        }
    }
    Ok(())
}

fn text(terms: &Terms, term: Term) -> String {
    match terms.value(term) {
        Some(value) => format!("{value:?}"),
        None => {
            let parts: Vec<String> = terms.parts(term).into_iter().map(|part| text(terms, part)).collect();
            let mut node = format!("{:?}", terms.node(term));
            node.truncate(node.find(['(', ' ']).unwrap_or(node.len()));
            if parts.is_empty() { format!("{:?}", terms.node(term)) } else { format!("{node}[{}]", parts.join(", ")) }
        }
    }
}

#[test]
fn the_symbolic_meaning_and_that_of_the_solver_are_evaluation() {
    let mut count = Count::default();
    let mut wrong: Option<String> = None;
    let questions = super::questions(600) / TOGETHER;
    for question in 0..questions {
        let seed = super::seed(1, question);
        let mut random = Random::new(seed);
        let asked = asked(&mut random);
        let definitions = definitions(&asked.text);
        // A solver knows the terms of one arena.
        let (mut terms, mut z3) = (Terms::new(), Z3::new(0));
        for (number, (name, params)) in asked.functions.iter().enumerate() {
            // A solver is asked now and then: it takes most of the time.
            let z3 = (number % 4 == 0).then_some(&mut z3);
            if let Err(difference) = ask(&definitions, (name, *params), &mut random, &mut terms, z3, &mut count) {
                let own = |line: &&str| {
                    line.starts_with(&format!("fun {name}(")) || line.contains(&format!("{}_", &name[1..]))
                };
                let lines: Vec<&str> = asked.text.lines().filter(own).collect();
                let shown = format!("seed {seed}, {name}:\n{}\n{difference}", lines.join("\n"));
                if wrong.as_ref().is_none_or(|wrong| shown.len() < wrong.len()) {
                    wrong = Some(shown);
                }
            }
        }
    }
    println!("{count:?}");
    if let Some(wrong) = wrong {
        panic!("{wrong}\n{count:?}");
    }
    let unsupported: u64 = count.unsupported.values().sum();
    assert!(count.agreed > 9 * unsupported, "most questions are answered: {count:?}");
    assert!(count.open * 3 > count.agreed, "many meanings are open: {count:?}");
    assert!(count.undefined * 20 > count.agreed, "many expressions have no value: {count:?}");
}

/// What the reference says of values: a type, an expression, and what it is; nothing where it has no value. The table of operators is
/// read by both meanings above, so that they cannot disagree about it.
const SAID: &[(&str, &str, &str)] = &[
    ("Int", "(-7 + ZERO) / 2", "-4"),
    ("Int", "(-7 + ZERO) / (-2 + ZERO)", "4"),
    ("Int", "(-7 + ZERO) % 2", "1"),
    ("Int", "7 % (-2 + ZERO)", "1"),
    ("Int", "1 / ZERO", ""),
    ("Int", "1 % ZERO", ""),
    ("Real", "1.0 / (1.0 * ZERO)", ""),
    ("Bool", "ZERO == 1 && 1 / ZERO == 1", "false"),
    ("Bool", "ZERO == 0 || 1 / ZERO == 1", "true"),
    ("Bool", "1 / ZERO == 1 && ZERO == 1", ""),
    ("Bool", "1 / ZERO == 1 || ZERO == 0", ""),
    ("Bool", "ZERO in 1..1 / ZERO", "false"),
    ("Bool", "ZERO in 0..1 / ZERO", ""),
    ("Bool", "1 / ZERO in 1..2", ""),
    ("Int", "if ZERO == 0 then 1 else 1 / ZERO", "1"),
    ("Bool", "forall x in [1, ZERO]: x == 0 && 1 / x == 1", "false"),
    ("Bool", "exists x in [1, ZERO]: 1 / x == 1", "true"),
    ("Bool", "exists x in [ZERO, 1]: 1 / x == 1", ""),
    ("Int", "head([1, 2])", "1"),
    ("Int", "last([1, 2])", "2"),
    ("Int", "head(LIST)", ""),
    ("Int", "last(LIST)", ""),
    ("List<Int>", "tail(LIST)", ""),
    ("List<Int>", "tail([1])", "LIST"),
    ("Int", "[1, 2][ZERO]", "1"),
    ("Int", "[1, 2][2 + ZERO]", ""),
    ("Int", "[1, 2][ZERO - 1]", ""),
    ("List<Int>", "take([1, 2], 5)", "[1, 2]"),
    ("List<Int>", "take([1, 2], -1)", "LIST"),
    ("List<Int>", "drop([1, 2], 5)", "LIST"),
    ("List<Int>", "drop([1, 2], -1)", "[1, 2]"),
    ("List<Int>", "put([1, 2], 1, 3)", "[1, 3]"),
    ("List<Int>", "put([1, 2], 2 + ZERO, 3)", ""),
    ("Map<Int, Int>", "put(MAP, 1, 3)", "{1: 3}"),
    ("Map<Int, Int>", "put({1: 2}, 1, 3)", "{1: 3}"),
    ("Map<Int, Int>", "remove({1: 2}, 1)", "MAP"),
    ("Map<Int, Int>", "remove({1: 2}, 3)", "{1: 2}"),
    ("Int", "{1: 2}[1]", "2"),
    ("Int", "{1: 2}[3 + ZERO]", ""),
    ("Option<Int>", "get({1: 2}, 1)", "Some(2)"),
    ("Option<Int>", "get({1: 2}, 3)", "None"),
    ("Set<Int>", "insert({1}, 1)", "{1}"),
    ("Set<Int>", "remove({1}, 2)", "{1}"),
    ("Int", "size(MAP)", "0"),
    ("Int", "min(1, 2)", "1"),
    ("Int", "max(1, 2)", "2"),
    ("Int", "abs(-3 + ZERO)", "3"),
    ("Int", "floor(-1.5)", "-2"),
    ("1..3", "1 + ZERO", "1"),
    ("1..3", "4 + ZERO", ""),
    ("Map<1..3, Int>", "put(MAP, 4 + ZERO, 1)", ""),
    ("Map<Int, 1..3>", "put(put(MAP, 1, 4 + ZERO), 1, 3)", "{1: 3}"),
];

#[test]
fn expressions_have_the_values_that_the_reference_says() {
    let mut text = "const ZERO = 0\nconst LIST: List<Int> = []\nconst MAP: Map<Int, Int> = {}\n".to_owned();
    for (number, (ty, expression, said)) in SAID.iter().enumerate() {
        text.push_str(&format!("fun made{number}(): {ty} = {expression}\n"));
        let said = if said.is_empty() { expression } else { said };
        text.push_str(&format!("fun said{number}(): {ty} = {said}\n"));
    }
    let definitions = definitions(&text);
    for (number, (ty, expression, said)) in SAID.iter().enumerate() {
        let [made, known] =
            ["made", "said"].map(|kind| value(&definitions, body(&definitions, &format!("{kind}{number}")), vec![]));
        match said.is_empty() {
            true => assert!(matches!(made, Err(Failure::Undefined(_))), "{expression} of {ty} is {made:?}"),
            false => assert_eq!(made.ok(), known.ok(), "{expression} of {ty}"),
        }
    }
}
