//! Everything that can be wrong with a model, or worth a warning. Each has a stable code and a page in `docs/errors`.

use thiserror::Error;

use crate::diagnostic::{Diagnostic, Severity};
use crate::syntax::Span;

/// Declares the problems: code, variant with its data, message, help.
macro_rules! problems {
    ($( $code:ident $variant:ident $({ $($field:ident : $ty:ty),* $(,)? })? => $message:literal, $help:expr; )*) => {
        /// A problem of a model.
        #[derive(Clone, Debug, PartialEq, Error)]
        #[allow(missing_docs)]
        pub enum Problem {
            $( #[error($message)] $variant $({ $($field: $ty),* })?, )*
        }

        impl Problem {
            /// The stable code.
            pub fn code(&self) -> &'static str {
                match self { $( Problem::$variant { .. } => stringify!($code), )* }
            }

            /// All codes.
            pub const CODES: &'static [&'static str] = &[ $( stringify!($code), )* ];

            /// How to mend it.
            #[allow(unused_variables)]
            pub fn help(&self) -> Option<String> {
                match self {
                    $( Problem::$variant $({ $($field),* })? => {
                        let help: String = $help.into();
                        (!help.is_empty()).then_some(help)
                    } )*
                }
            }
        }
    };
}

fn nearest(name: &Option<String>) -> String {
    name.as_ref().map(|name| format!("did you mean `{name}`?")).unwrap_or_default()
}

/// Where a rule is expected: the nearest one, or what else may stand there.
fn rules(name: &str, near: &Option<String>) -> String {
    let is_word = name.chars().all(|c| c.is_alphanumeric() || c == '_');
    match near {
        None if !is_word => {
            "a rule becomes `holds`, `fails` or other rules; its conditions stand before `=>`".to_owned()
        }
        near => nearest(near),
    }
}

/// Where a list is expected: the nearest one, or where lists stand.
fn lists(near: &Option<String>) -> String {
    match near {
        None => "lists are the first arguments, or stand after `on`; `simulate --json` shows their names".to_owned(),
        near => nearest(near),
    }
}

/// Where something that is given is expected: the nearest one, or what it may be.
fn given(near: &Option<String>) -> String {
    match near {
        None => "a parameter of one gate is `gate.parameter`, a variable of an instance `instance.variable`".to_owned(),
        near => nearest(near),
    }
}

/// Where a lifeline is expected: the nearest machine, or what else may stand there.
fn lifeline(near: &Option<String>) -> String {
    match near {
        None => "a lifeline is a machine of the model, or `env`".to_owned(),
        near => nearest(near),
    }
}

/// How the first place of a machine is declared.
fn first_place(place: &str) -> String {
    match place {
        "node" => "write one: `node n: choose { e -> end }`".to_owned(),
        place => format!("declare one: `initial {place} S`"),
    }
}

/// What was found out about a name.
fn hinted(hint: &Option<String>) -> String {
    hint.clone().unwrap_or_default()
}

/// What an operator works on; for a function its name says enough.
fn operands(op: &str) -> &'static str {
    match op {
        "++" => "`++` joins texts and lists",
        "%" => "`%` takes whole numbers",
        "+" | "-" | "*" | "/" => "`+ - * /` take numbers",
        _ => "",
    }
}

problems! {
    // Names
    E0101 UnknownName { name: String, near: Option<String> } => "`{name}` is not declared", nearest(near);
    E0102 Duplicate { name: String } => "`{name}` is declared twice", "rename one of them";
    E0103 UnknownType { name: String, near: Option<String> } => "there is no type `{name}`", nearest(near);
    E0104 UnknownModel { name: String, near: Option<String> } => "there is no model `{name}`", nearest(near);
    E0105 Shadows { name: String } => "`{name}` already has a meaning here, and in a match a name always binds",
        "choose another name; to compare with a value, write `x if x == value`";
    E0106 BuiltinName { name: String } => "`{name}` belongs to the language", "choose another name";
    E0107 UnknownFunction { name: String, near: Option<String> } => "there is no function or constructor `{name}`", nearest(near);

    // Types
    E0201 Mismatch { expected: String, found: String } => "expected `{expected}`, found `{found}`", "";
    E0202 CannotInfer => "the type of this cannot be told from here", "write the type where the name is declared";
    E0203 ArgumentCount { what: String, expected: usize, found: usize } => "wrong number of arguments for `{what}`: expected {expected}, found {found}", "";
    E0204 UnknownField { ty: String, name: String, near: Option<String> } => "`{ty}` has no field `{name}`", nearest(near);
    E0205 MissingArgument { what: String, name: String } => "`{what}` needs a value for `{name}`", format!("add `{name}: ...`");
    E0206 UnknownArgument { what: String, name: String, near: Option<String> } => "`{what}` has no parameter `{name}`", nearest(near);
    E0207 OutsideType { value: String, ty: String } => "`{value}` is not a value of `{ty}`", "choose a value inside the type, or a wider type";
    E0208 MissingCase { example: String } => "this match has no case for `{example}`", "add the case, or a last case `_ => ...`";
    E0209 TypeWithoutBase { name: String } => "`{name}` has no finite value: every constructor contains `{name}` again",
        "add a constructor that does not contain it";
    E0210 CyclicType { name: String, cycle: String } => "`{name}` is defined by itself: {cycle}", "a type that contains itself needs constructors: `type T = Empty | Node(T)`";
    E0211 CyclicConstant { name: String, cycle: String } => "the value of `{name}` depends on itself: {cycle}", "give one of them a value of its own";
    E0212 BadRegularExpression { reason: String } => "this is no regular expression: {reason}", "a character with a meaning of its own is written with `\\` before it";
    E0213 OnlyInPattern { what: String } => "`{what}` has a meaning only in a pattern", "patterns stand after `c?`, at gates and in the cases of a `match`";
    E0214 NotOrdered { ty: String } => "values of `{ty}` have no order", "only `Int` and `Real` are compared with `<`";
    E0215 NotCollection { ty: String } => "`{ty}` is no collection", "a list, a set, a map or a range `a..b` is needed here";
    E0216 EmptyRange { low: String, high: String } => "the range {low}..{high} is empty", "the lower bound comes first";
    E0217 ConstantFails { name: String, reason: String } => "`{name}` has no value: {reason}", "a constant is computed once, before anything runs, and must succeed";
    E0218 NotAssignable => "this cannot be assigned to", "assign to a variable, an element `m[k]` or a field `r.f` of one";
    E0219 NotAPattern => "this is not a pattern", "patterns are made of names, values, constructors, lists and `_`; `..` stands last in a list";
    E0220 TypeArguments { name: String, expected: usize, found: usize } => "wrong number of type arguments for `{name}`: expected {expected}, found {found}", "a list is `List<T>`, a map `Map<K, V>`";
    E0221 NotArithmetic { op: String, ty: String } => "`{op}` does not work on `{ty}`", operands(op);
    E0222 RegexNotLiteral => "a regular expression is written as a text literal", "write it in place: `name matches \"[a-z]+\"`";
    E0223 PositionalRecord { name: String } => "fields of the record `{name}` are given by name", "write `name: value`";
    E0224 NamedArgument { what: String } => "arguments of `{what}` are given by position", "leave the name and its colon out";
    E0225 GivenTwice { name: String } => "`{name}` is given twice", "leave one of them out";

    // Machines
    E0301 NoInitialState { name: String, place: String } => "`{name}` has no initial {place}", format!("mark one: `initial {place} S`");
    E0302 SeveralInitialStates { place: String } => "there is one initial {place} already", format!("declare this one with `{place}` alone");
    E0303 UnknownState { place: String, name: String, near: Option<String> } => "there is no {place} `{name}`", nearest(near);
    E0304 TransitionWithoutName => "a transition of a component needs a name", "write `A -> B : name`";
    E0305 ReservedTransition { name: String } => "`{name}` is the name of the step in which nothing happens", "choose another name";
    E0306 UnknownChannel { name: String, near: Option<String> } => "there is no channel `{name}`", nearest(near);
    E0307 ChannelDirection { name: String, uses: String } => "`{name}` cannot be {uses} here", "`in` channels are read with `c?p`, `out` channels are written with `c!e`";
    E0308 UnknownGate { name: String, near: Option<String> } => "there is no gate `{name}`", nearest(near);
    E0309 GateDirection { name: String, declared: String } => "`{name}` is declared `{declared}`", "`?` goes with `in`, `!` with `out`";
    E0310 BindsNothing { name: String } => "`{name}` cannot be bound inside an expression", "a message is bound where it stands alone or between `&&` in a guard";
    E0311 AssignedTwice { name: String } => "`{name}` is assigned twice in one step", "all updates of a step happen at once: give it one value";
    E0312 SentTwice { name: String } => "`{name}` is sent twice in one step", "a channel carries one message per step";
    E0313 WrongStyle { what: String, machine: String, mend: String } => "{what} does not belong in {machine}", mend.clone();
    E0314 ActionsAndLocations => "actions stand in an `sts` without locations", "write them as switches, or leave the locations out";
    E0315 ChannelAsValue { name: String } => "`{name}` is a channel, not a value", "read it with a pattern: `c?x`";
    E0316 OpenNeedsType { name: String } => "`{name}` is open, so its type must be written", "write `var x: T = any`";
    E0317 NoStates { name: String, place: String } => "`{name}` has no {place}s", first_place(place);
    E0318 NotAChannel => "only a channel is read with `?`", "write `c?p`, where `c` is an `in` channel of this component";

    // Services
    E0330 UnknownService { name: String, near: Option<String> } => "there is no service `{name}`", nearest(near);
    E0331 UnknownServiceEvent { name: String, near: Option<String> } => "there is no event `{name}`", nearest(near);
    E0332 ChosenTwice { name: String } => "`{name}` is chosen twice", "one event has one way on: decide with `-> if c then a else b`";
    E0333 ReadsNoEvent { text: String } => "`{text}` reads no event, and a predicate is evaluated when its events are there", "decide on the way to the node: `-> if c then a else b`";
    E0334 NothingToWaitFor { name: String } => "`{name}` waits for no event", "name events after `collect`, or write predicates or choices";
    E0335 NotCollected { name: String, near: Option<String> } => "`{name}` is not collected here", nearest(near);
    E0336 EventsDiffer { name: String, here: String, there: String } => "the event `{name}` carries {here} here, and {there} in the service that is run", "give both the same type, or rename one";
    E0337 NeverWaits { name: String } => "too many ways lead on from `{name}`", "lead on by fewer conditions, or wait for an event on the way";
    E0338 BeginsOpen { name: String } => "where `{name}` begins depends on what is not known yet", "begin with a node whose effects read no open variable";
    E0339 OpenWhereRun { name: String } => "`{name}` is open, and a service that is run begins anew with values that are known", "give it an initial value";

    // Systems
    E0401 UnknownInstance { name: String, near: Option<String> } => "there is no instance `{name}`", nearest(near);
    E0402 UnknownPort { model: String, name: String, near: Option<String> } => "`{model}` has no port `{name}`", nearest(near);
    E0403 ConnectedTwice { name: String } => "`{name}` is connected twice", "an input has one source";
    E0404 ReadTwice { name: String } => "`{name}` is read by two", "an output has one reader; duplicate it in its component, or send it on";
    E0405 NoSource { name: String } => "the input `{name}` has no source", "connect it to an output, or to `in` of the system";
    E0406 PortDirection { name: String, wanted: String } => "`{name}` is not an {wanted}", "a connection goes from an output, or `in`, to an input, or `out`";
    E0407 PortTypes { from: String, to: String } => "a channel of `{from}` does not fit one of `{to}`", "both ends of a connection carry the same type";
    E0408 RecursiveModel { name: String } => "`{name}` contains itself", "a model is made of other models; something that repeats is a state";
    E0409 NotLockStep { name: String } => "`{name}` has gates, and a system of channels is made of components", "compose it with `system S = A || B`";
    E0410 NoSuchIndex { name: String, index: String } => "there is no `{name}[{index}]`", "an index lies in the range with which the instances are declared";
    E0411 NeedsIndex { name: String } => "`{name}` is a family of instances", "write `name[i]`";
    E0412 TooManyInstances { limit: usize } => "more than {limit} instances", "use a smaller range";
    E0413 NotWhole => "an index is a whole number", "write a range: `i in 1..3`";
    E0414 SeveralReaders => "only `in` may go to several readers", "an output has one reader; send it on from there, or on two channels";
    E0415 NotAPort { name: String } => "`{name}` is no port", "write `instance.port`; ports of the system itself are `in name` and `out name`";

    // Compositions
    E0501 GatesDiffer { name: String, left: String, right: String } => "both sides know the gate `{name}`, but as {left} and as {right}", "rename one of them";
    E0502 TickShared => "both sides have lock-step systems, whose steps are the gate `tick`", "compose them with `|||`, or rename one `tick`";
    E0503 InstanceName { name: String } => "two instances are called `{name}`", "give them names: `a: M || b: M`";
    E0504 RenamedTogether { name: String, differs: &'static str } => "two gates with different {differs} become `{name}`",
        "gates that share a name have one direction, and parameters of the same types";
    E0505 NothingToCompose => "there is nothing to compose: this range is empty", "the lower bound comes first";

    // References from outside
    E0601 NoModel => "this file declares no model", "a model is a `component`, `system`, `sts` or `service`";
    E0602 WhichModel { names: String } => "there are several models, and it is not said which is meant: {names}", "write `FILE#Name`";
    E0603 ArgumentFails { what: String, reason: String } => "{what} cannot be computed: {reason}", "it is computed once, before anything runs, and must succeed";
    E0605 BadTrace { reason: String } => "{reason}", "a trace is `{\"steps\": [...]}`; see docs/reference/traces.md";
    E0606 BadValues { reason: String } => "{reason}", "write `--values name=set`, where name is a type, an input or a parameter of a gate";
    E0607 NeedsValues { what: String, reason: String } => "{what} cannot be enumerated: {reason}", "give some with `--values`, e.g. `--values Int=0..3`";

    E0608 BadLog { reason: String } => "{reason}", "docs/reference/monitoring.md says how a log is written";

    // Purposes and rules
    E0701 UnknownRule { name: String, near: Option<String> } => "there is no rule `{name}`", rules(name, near);
    E0702 NoTime => "this condition does not say when it is to hold", "write `member(...)`, `always(...)` or `never(...)` around it, or look at `first(x)`, `last(x)` or `initial(x)`";
    E0703 UnknownList { name: String, near: Option<String> } => "there is no history list `{name}`", lists(near);
    E0704 NoStopClause { name: String } => "the rule `{name}` does not say what happens at the end of the list", "add a clause `stop => fails` or `stop => holds`";
    E0705 ListCount { rule: String, expected: usize, found: usize } => "wrong number of lists for `{rule}`: expected {expected}, found {found}", "write `rule(...) on list`, `rule(...) on (list, list)`, or the lists as the first arguments";
    E0706 SomeUnderNot => "`some` stands neither under `not` nor in a rule", "move `not` inside; in a rule, take the value as a parameter";
    E0707 SeveralTimes => "a condition looks at one moment: `first`, `last` or `initial`", "write two conditions; `some v: (first(x) == v and last(y) == v)` shares a value between them";
    E0708 UnknownCriterion { name: String, near: Option<String> } => "there is no coverage criterion `{name}`", nearest(near);
    E0709 UnknownPurpose { name: String, near: Option<String> } => "there is no purpose `{name}`", nearest(near);
    E0710 LengthRelation => "a length is compared with `==`, `<`, `<=`, `>` or `>=`", "write `length 7` or `length <= 12`";
    E0711 UnknownExpectation { name: String } => "`{name}` cannot be expected", "write `expect impossible`";
    E0712 NoSuchMember { list: String, name: String, near: Option<String> } => "`{list}` is never `{name}`", nearest(near);
    E0713 NotAboutTail { name: String } => "`{name}` is no list of this rule", "a rule becomes rules on the tails of its own lists";
    E0714 NoPurpose { what: String } => "{what}", "declare one: `purpose p for Model { ... }`";
    E0715 OtherModel { purpose: String, model: String } => "the purpose `{purpose}` is for `{model}`", "leave the model out, or choose a purpose for it";
    E0716 SeveralClassifications => "there are classes already", "a purpose has one `classes`";
    E0717 UnboundedAll { purpose: String } => "`{purpose}` has no bound on its length, so that it may have infinitely many cases", "give a number with `--max`, a length with `--depth`, or write `length <= n` in the purpose";

    E0718 CriterionArguments { name: String, expected: String } => "`{name}` {expected}", "docs/reference/coverage.md has all criteria with their arguments";
    E0719 NothingToCover { name: String, near: Option<String> } => "there is nothing called `{name}` to cover here", nearest(near);
    E0720 ItemsOfThemselves { name: String } => "`{name}` covers itself", "leave out one `cover` of the circle";
    E0721 TwoLists { name: String, first: String, second: String } => "`{name}` is the name of two lists of this model: {first}, and {second}",
        "call one of them something else";
    E0722 UntoldValues { variable: String, ty: String } => "whether this is true can depend on values of `{variable}` that no step mentions, and the values of `{ty}` cannot be told apart",
        "quantify over a type with at most 1024 values, or over one that always has another value, such as `Int`";
    E0730 NoCalls => "a property speaks of calls at gates, and this model has none", "give the model gates (`sts`), or ask for runs with a purpose";
    E0731 UnknownCall { name: String, near: Option<String> } => "there is no gate or transition `{name}`", nearest(near);
    E0733 VariableNotEqual { name: String } => "`{name}` has one value for the whole run, and a step must tell it",
        "it may stand as an argument of an event, after `?`, or alone on one side of `==` or `!=`";
    E0734 UnknownPattern { name: String, near: Option<String> } => "there is no pattern `{name}`", nearest(near);
    E0735 FormulaTooLarge => "this formula has too many states", "split it into several formulas";
    E0736 ForAllSeveral => "runs cannot be looked for that meet this for all values of several variables", "say it with one variable; as a `property`, `monitor` and `check --property` take it as it is";
    E0739 UnknownEvent { name: String, near: Option<String> } => "there is no event or condition `{name}`", nearest(near);
    E0737 NoTests { name: String } => "`{name}` says nothing about calls, so no tests are made for it", format!("`check --property {name}` says whether it holds");
    E0738 NotAProperty { name: String } => "`{name}` is no property: runs are looked for that meet it", "declare what holds in every run with `property`";
    E0732 CoversProperty { name: String } => "`{name}` is a property, and has no items", "ask for its tests with `gen -p`";

    // Conformance
    E0801 DirectionsDiffer { gate: String } => "`{gate}` is an input of one model and an output of the other", "both sides of a comparison see the same inputs and outputs; exchange them, or compose the model with a connector";
    E0802 ParametersDiffer { gate: String, here: String, there: String } => "`{gate}` carries {here} here and {there} in the specification", "give both the same parameters, by name and type";
    E0803 RefusesInput { model: String, input: String, place: String, after: String } => "`{model}` does not take every input: {input} is refused in {place}{after}", "add a switch for it, or say what happens: `--complete ignore` (nothing) or `--complete chaos` (anything)";

    // Pools
    E0901 UnknownData { name: String, near: Option<String> } => "there is no type, input, parameter, open variable or event `{name}`", given(near);
    E0902 BadWeight { most: u64 } => "a weight is a whole number from 1 to {most}", "write `value: 3` for a value that is chosen three times as often as others";
    E0903 PoolTwice { name: String } => "`{name}` has a pool already", "put all values into one pool";
    E0904 EmptyPool { name: String } => "the pool of `{name}` has no values", "write some, or leave the pool out";
    E0905 PoolTooLarge { limit: usize } => "a pool has at most {limit} values", "leave the pool out, or write the values that matter";

    // Charts and patterns
    E1001 UnknownDrawing { what: &'static str, name: String, near: Option<String> } => "there is no {what} `{name}`", nearest(near);
    E1002 UnknownLifeline { name: String, near: Option<String> } => "there is no machine `{name}` in this model", lifeline(near);
    E1003 UndeclaredLifeline { name: String } => "`{name}` is no lifeline of this chart", "add it to those after `lifeline`, or leave that line out";
    E1004 UnknownMessage { name: String, from: String, to: String, hint: Option<String> } => "`{from}` sends no `{name}` to `{to}`", hinted(hint);
    E1005 UnknownFiring { machine: String, name: String, near: Option<String> } => "`{machine}` has no transition `{name}`", nearest(near);
    E1006 UnknownMember { machine: String, name: String, near: Option<String> } => "`{machine}` has no state `{name}`", nearest(near);
    E1007 NotBetweenSteps { name: String } => "`{name}` is seen in a step, and this condition is about a moment between two steps",
        "a condition is about states and variables; a message is drawn as one";
    E1008 LoopBounds { low: String, high: String, most: u32 } => "a repetition from {low} to {high} times", format!("both numbers are from 0 to {most}, and the first one is not the larger one");
    E1009 DrawnInItself { name: String } => "`{name}` refers to itself", "write what is repeated as a loop";
    E1010 DrawingTooLarge { name: String } => "`{name}` can go on in more ways than can be watched", "split it, say less about it, or use `global order`";
    E1011 NotInsideNot => "a `not` stands inside a `not`", "say with other parts what must happen";
    E1012 VariableInsideNot { name: String } => "`{name}` stands several times in a `not`, and has no value before it", "give it a value before, or use `_`";
    E1013 SeveralMessages { name: String, machines: String } => "several messages are called `{name}`", format!("say whose it is: {machines}");

    E1014 NotMatched { what: &'static str } => "{what} stands in a pattern that is matched", "a match is made of events, choices and repetitions; its variables are declared with `free`";

    // Warnings
    W0101 DeadState { name: String } => "no path of transitions leads to `{name}`", "remove it, or add a transition to it";
    W0102 NeverUsed { name: String } => "`{name}` is never used", "remove it, or use it";
    W0103 CanFail { what: String } => "{what}", "where it fails a guard is false and a transition is not enabled; guard it if that is not meant";
    W0104 UnreachableCase => "this case is never reached: the cases before it cover everything", "remove it";
    W0105 NoReader { name: String } => "nobody reads the output `{name}`", "connect it to an input, or to `out` of the system";
    W0107 DeadTransition { name: String, model: String, reason: String } => "`{name}` can never fire in `{model}`: {reason}",
        "remove it, or add what it waits for";
    W0108 NeverMet { purpose: String } => "no run meets this constraint of `{purpose}`, whatever the data is",
        "`gen` says why; if that is the wish, add `expect impossible`";
    W0109 AlwaysMet { purpose: String } => "every run meets this constraint of `{purpose}`: it asks for nothing", "remove it, or ask for more";
    W0110 HiddenForEver { names: String, model: String } => "`{model}` can go on for ever with hidden steps: {names}",
        "an observer may see silence there for ever; make a step visible, or let the hidden ones come to an end";
}

impl Problem {
    /// The problem at a place.
    pub fn at(self, span: Span) -> Diagnostic {
        let severity = if self.code().starts_with('W') { Severity::Warning } else { Severity::Error };
        let message = shortened(self.to_string());
        Diagnostic { severity, code: self.code(), message, span, related: vec![], help: self.help() }
    }
}

/// Longest message, in characters: a value may be a list of a million elements.
const MAX_MESSAGE: usize = 400;

fn shortened(message: String) -> String {
    match message.char_indices().nth(MAX_MESSAGE) {
        Some((end, _)) => format!("{}…", &message[..end]),
        None => message,
    }
}

/// The declared name that a user most likely meant.
pub(crate) fn near<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let length = name.chars().count();
    let limit = (length / 3).max(1);
    known
        .into_iter()
        // A name of one letter is one letter away from every other.
        .filter(|candidate| length > 1 || candidate.eq_ignore_ascii_case(name))
        // The distance is at least the difference in length, which is cheaper to see.
        .filter(|candidate| candidate.chars().count().abs_diff(length) <= limit)
        .map(|candidate| (strsim::damerau_levenshtein(name, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= limit || candidate.eq_ignore_ascii_case(name))
        .min()
        .map(|(_, candidate)| candidate.to_owned())
}
