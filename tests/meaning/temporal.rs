//! Temporal formulas: their automata against definitions written down here once more.
//!
//! A formula is evaluated position by position: on finite runs by recursion, on runs that go on for ever as words with a loop,
//! many of them at once, one in each bit.

use tracewright::history::{Automaton, Strength, Temporal, automaton, informative, is_safety};

/// Formulas over two atoms, as the tests write them.
#[derive(Clone, Debug, PartialEq)]
enum F {
    Atom(usize),
    One(Op1, Box<F>),
    Two(Op2, Box<F>, Box<F>),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Op1 {
    Not,
    X,
    Wx,
    F,
    G,
    Y,
    Z,
    O,
    H,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Op2 {
    And,
    Or,
    U,
    W,
    R,
    S,
}

const OPS1: [Op1; 9] = [Op1::Not, Op1::X, Op1::Wx, Op1::F, Op1::G, Op1::Y, Op1::Z, Op1::O, Op1::H];
const OPS2: [Op2; 6] = [Op2::And, Op2::Or, Op2::U, Op2::W, Op2::R, Op2::S];

fn given(f: &F) -> Temporal {
    match f {
        F::Atom(atom) => Temporal::Atom(*atom),
        F::One(op, f) => {
            let f = given(f);
            match op {
                Op1::Not => f.negated(),
                Op1::X => Temporal::Next(Box::new(f), Strength::Strong),
                Op1::Wx => Temporal::Next(Box::new(f), Strength::Weak),
                Op1::F => f.eventually(),
                Op1::G => f.always(),
                Op1::Y => Temporal::Yesterday(Box::new(f), Strength::Strong),
                Op1::Z => Temporal::Yesterday(Box::new(f), Strength::Weak),
                Op1::O => f.once(),
                Op1::H => f.historically(),
            }
        }
        F::Two(op, f, g) => {
            let (f, g) = (given(f), given(g));
            match op {
                Op2::And => f.and(g),
                Op2::Or => f.or(g),
                Op2::U => f.until(g),
                Op2::W => f.weak_until(g),
                Op2::R => f.release(g),
                Op2::S => f.since(g),
            }
        }
    }
}

/// All formulas by size, over some atoms. Each refers to earlier ones by number.
enum Made {
    Atom(usize),
    One(Op1, usize),
    Two(Op2, usize, usize),
}

fn all_formulas(atoms: usize, size: usize) -> Vec<Made> {
    let mut made: Vec<Made> = (0..atoms).map(Made::Atom).collect();
    let mut starts = vec![0, 0, made.len()];
    for size in 2..=size {
        let of = |n: usize| starts[n]..starts[n + 1];
        let mut next = vec![];
        for op in OPS1 {
            next.extend(of(size - 1).map(|f| Made::One(op, f)));
        }
        for op in OPS2 {
            for left in 1..size - 1 {
                next.extend(
                    of(left).flat_map(|f| of(size - 1 - left).map(move |g| (f, g))).map(|(f, g)| Made::Two(op, f, g)),
                );
            }
        }
        made.extend(next);
        starts.push(made.len());
    }
    made
}

fn written(made: &[Made], number: usize) -> F {
    match made[number] {
        Made::Atom(atom) => F::Atom(atom),
        Made::One(op, f) => F::One(op, Box::new(written(made, f))),
        Made::Two(op, f, g) => F::Two(op, Box::new(written(made, f)), Box::new(written(made, g))),
    }
}

/// Whether a formula holds at a position of a finite run, by the book.
fn holds(f: &F, run: &[usize], at: usize) -> bool {
    let n = run.len();
    match f {
        F::Atom(atom) => run[at] >> atom & 1 == 1,
        F::One(op, f) => match op {
            Op1::Not => !holds(f, run, at),
            Op1::X => at + 1 < n && holds(f, run, at + 1),
            Op1::Wx => at + 1 >= n || holds(f, run, at + 1),
            Op1::F => (at..n).any(|i| holds(f, run, i)),
            Op1::G => (at..n).all(|i| holds(f, run, i)),
            Op1::Y => at > 0 && holds(f, run, at - 1),
            Op1::Z => at == 0 || holds(f, run, at - 1),
            Op1::O => (0..=at).any(|i| holds(f, run, i)),
            Op1::H => (0..=at).all(|i| holds(f, run, i)),
        },
        F::Two(op, f, g) => match op {
            Op2::And => holds(f, run, at) && holds(g, run, at),
            Op2::Or => holds(f, run, at) || holds(g, run, at),
            Op2::U => (at..n).any(|i| holds(g, run, i) && (at..i).all(|j| holds(f, run, j))),
            Op2::W => {
                (at..n).all(|i| holds(f, run, i))
                    || (at..n).any(|i| holds(g, run, i) && (at..i).all(|j| holds(f, run, j)))
            }
            Op2::R => (at..n).all(|i| holds(g, run, i) || (at..i).any(|j| holds(f, run, j))),
            Op2::S => (0..=at).any(|i| holds(g, run, i) && (i + 1..=at).all(|j| holds(f, run, j))),
        },
    }
}

fn after(automaton: &Automaton, run: &[usize]) -> usize {
    run.iter().fold(automaton.start, |state, letter| automaton.next(state, |atom| letter >> atom & 1 == 1))
}

fn runs(letters: usize, length: usize) -> impl Iterator<Item = Vec<usize>> {
    (0..letters.pow(length as u32)).map(move |mut code| {
        (0..length)
            .map(|_| {
                let letter = code % letters;
                code /= letters;
                letter
            })
            .collect()
    })
}

#[test]
fn at_its_end_a_run_meets_a_formula_if_the_definition_says_so() {
    let made = all_formulas(2, 4);
    for number in 0..made.len() {
        let f = written(&made, number);
        let automaton = automaton(&given(&f), 2, &[]).unwrap();
        for length in 1..=4 {
            for run in runs(4, length) {
                let state = &automaton.states[after(&automaton, &run)];
                assert_eq!(state.accepts, holds(&f, &run, 0), "{f:?} on {run:?}");
            }
        }
    }
}

/// Bits of a formula: for each position of the words, whether it holds there, one word in each bit.
type Bits = Vec<u64>;

/// Words that begin alike: a history, then three letters, then two letters for ever. What was is written out for some rounds
/// of the loop, until it repeats itself.
struct Words {
    history: Vec<usize>,
    lanes: usize,
    positions: usize,
}

const STEM: usize = 3;
const LOOP: usize = 2;

impl Words {
    fn new(history: Vec<usize>, rounds: usize) -> Words {
        let positions = history.len() + STEM + LOOP * rounds;
        Words { history, lanes: 4usize.pow((STEM + LOOP) as u32) / 64, positions }
    }

    /// The letter at a position of word number `word`.
    fn letter(&self, word: usize, position: usize) -> usize {
        match position.checked_sub(self.history.len()) {
            None => self.history[position],
            Some(place) => {
                let place = if place < STEM { place } else { STEM + (place - STEM) % LOOP };
                word / 4usize.pow(place as u32) % 4
            }
        }
    }

    fn atom(&self, atom: usize) -> Bits {
        let mut bits = vec![0; self.lanes * self.positions];
        for position in 0..self.positions {
            for word in 0..self.lanes * 64 {
                let bit = (self.letter(word, position) >> atom & 1) as u64;
                bits[position * self.lanes + word / 64] |= bit << (word % 64);
            }
        }
        bits
    }

    fn next(&self, position: usize) -> usize {
        if position + 1 == self.positions { self.positions - LOOP } else { position + 1 }
    }

    fn map(&self, f: impl Fn(usize, usize) -> u64) -> Bits {
        let mut bits = Vec::with_capacity(self.positions * self.lanes);
        for position in 0..self.positions {
            bits.extend((0..self.lanes).map(|lane| f(position, lane)));
        }
        bits
    }

    /// A fixed point of looking ahead: twice around the loop is enough.
    fn ahead(&self, first: u64, step: impl Fn(usize, u64) -> u64) -> Bits {
        let mut bits = vec![first; self.lanes * self.positions];
        for lane in 0..self.lanes {
            let mut next = first;
            for position in (self.positions - LOOP..self.positions).rev() {
                next = step(position * self.lanes + lane, next);
            }
            for position in (0..self.positions).rev() {
                next = step(position * self.lanes + lane, next);
                bits[position * self.lanes + lane] = next;
            }
        }
        bits
    }

    /// Looking back, from the first position on.
    fn back(&self, first: u64, step: impl Fn(usize, u64) -> u64) -> Bits {
        let mut bits = vec![first; self.lanes * self.positions];
        for lane in 0..self.lanes {
            let mut before = first;
            for position in 0..self.positions {
                before = step(position * self.lanes + lane, before);
                bits[position * self.lanes + lane] = before;
            }
        }
        bits
    }

    fn one(&self, op: Op1, f: &Bits) -> Bits {
        let lanes = self.lanes;
        let earlier = |p: usize, l: usize, none: u64| if p == 0 { none } else { f[(p - 1) * lanes + l] };
        match op {
            Op1::Not => f.iter().map(|b| !b).collect(),
            Op1::X | Op1::Wx => self.map(|p, l| f[self.next(p) * lanes + l]),
            Op1::F => self.ahead(0, |i, next| f[i] | next),
            Op1::G => self.ahead(!0, |i, next| f[i] & next),
            Op1::Y => self.map(|p, l| earlier(p, l, 0)),
            Op1::Z => self.map(|p, l| earlier(p, l, !0)),
            Op1::O => self.back(0, |i, before| f[i] | before),
            Op1::H => self.back(!0, |i, before| f[i] & before),
        }
    }

    fn two(&self, op: Op2, f: &Bits, g: &Bits) -> Bits {
        match op {
            Op2::And => f.iter().zip(g).map(|(f, g)| f & g).collect(),
            Op2::Or => f.iter().zip(g).map(|(f, g)| f | g).collect(),
            Op2::U => self.ahead(0, |i, next| g[i] | f[i] & next),
            Op2::W => self.ahead(!0, |i, next| g[i] | f[i] & next),
            Op2::R => self.ahead(!0, |i, next| g[i] & (f[i] | next)),
            Op2::S => self.back(0, |i, before| g[i] | f[i] & before),
        }
    }
}

fn has_past(made: &[Made], number: usize) -> bool {
    match made[number] {
        Made::Atom(_) => false,
        Made::One(op, f) => matches!(op, Op1::Y | Op1::Z | Op1::O | Op1::H) || has_past(made, f),
        Made::Two(op, f, g) => op == Op2::S || has_past(made, f) || has_past(made, g),
    }
}

/// On a run that goes on, what is certain is what all words that begin with it agree on, and it is said at once.
fn verdicts_are_the_earliest(size: usize, longest: usize, rounds: usize, looks_back: bool) {
    let made = all_formulas(2, size);
    let asked: Vec<usize> = (0..made.len()).filter(|number| looks_back || !has_past(&made, *number)).collect();
    let automata: Vec<Automaton> =
        asked.iter().map(|number| automaton(&given(&written(&made, *number)), 2, &[]).unwrap()).collect();
    // For each formula and each history of each length: does some word make it true, does some make it false?
    let offset = |length: usize| (4usize.pow(length as u32) - 1) / 3;
    let mut seen = vec![[false; 2]; asked.len() * offset(longest + 1)];
    let mut bits: Vec<Bits> = made.iter().map(|_| vec![]).collect();
    for history in runs(4, longest) {
        let words = Words::new(history.clone(), rounds);
        for (place, number) in asked.iter().enumerate() {
            bits[*number] = match made[*number] {
                Made::Atom(atom) => words.atom(atom),
                Made::One(op, f) => words.one(op, &bits[f]),
                Made::Two(op, f, g) => words.two(op, &bits[f], &bits[g]),
            };
            let first = &bits[*number][..words.lanes];
            let found = [first.iter().any(|b| *b != 0), first.iter().any(|b| *b != !0)];
            for length in 0..=longest {
                let code = history[..length].iter().rev().fold(0, |code, letter| code * 4 + letter);
                let entry = &mut seen[place * offset(longest + 1) + offset(length) + code];
                *entry = [entry[0] | found[0], entry[1] | found[1]];
            }
        }
    }
    for (place, number) in asked.iter().enumerate() {
        for run in (0..=longest).flat_map(|length| runs(4, length)) {
            let code = run.iter().rev().fold(0, |code, letter| code * 4 + letter);
            let expected = match seen[place * offset(longest + 1) + offset(run.len()) + code] {
                [true, true] => None,
                [is_true, _] => Some(is_true),
            };
            let verdict = automata[place].states[after(&automata[place], &run)].verdict;
            assert_eq!(verdict, expected, "{:?} on {run:?}", written(&made, *number));
        }
    }
}

#[test]
fn the_earliest_verdict_is_given_that_any_continuation_allows() {
    verdicts_are_the_earliest(5, 5, 1, false);
}

#[test]
fn the_earliest_verdict_is_given_with_the_past_too() {
    verdicts_are_the_earliest(4, 4, 5, true);
}

fn atom(number: usize) -> F {
    F::Atom(number)
}

fn one(op: Op1, f: F) -> F {
    F::One(op, Box::new(f))
}

fn two(op: Op2, f: F, g: F) -> F {
    F::Two(op, Box::new(f), Box::new(g))
}

/// `(X a) W (X b)` fails at time t from 1 on exactly if b is false up to there, and a is false there.
#[test]
fn a_weak_until_of_nexts_fails_when_the_literature_says() {
    let f = two(Op2::W, one(Op1::X, atom(0)), one(Op1::X, atom(1)));
    for automaton in [automaton(&given(&f), 2, &[]).unwrap(), informative(&given(&f), 2, &[]).unwrap().unwrap()] {
        for length in 1..=6 {
            for run in runs(4, length) {
                let fails = |t: usize| t >= 1 && (1..=t).all(|i| run[i] & 2 == 0) && run[t] & 1 == 0;
                let expected = (0..length).any(fails);
                let verdict = automaton.states[after(&automaton, &run)].verdict;
                assert_eq!(verdict == Some(false), expected, "{run:?}");
            }
        }
    }
}

/// `G(p or (X q and X not q))`: nothing can mend {p}.{}, but that does not explain itself before the next step.
#[test]
fn what_is_lost_is_known_before_it_explains_itself() {
    let contradiction = two(Op2::And, one(Op1::X, atom(1)), one(Op1::X, one(Op1::Not, atom(1))));
    let f = given(&one(Op1::G, two(Op2::Or, atom(0), contradiction)));
    let (exact, plain) = (automaton(&f, 2, &[]).unwrap(), informative(&f, 2, &[]).unwrap().unwrap());
    let verdict = |automaton: &Automaton, run: &[usize]| automaton.states[after(automaton, run)].verdict;
    assert_eq!(verdict(&exact, &[1]), None);
    assert_eq!(verdict(&exact, &[1, 0]), Some(false));
    assert_eq!(verdict(&plain, &[1, 0]), None);
    for letter in 0..4 {
        assert_eq!(verdict(&plain, &[1, 0, letter]), Some(false));
    }
    let fairness = given(&one(Op1::G, one(Op1::F, atom(0))));
    for run in runs(4, 5) {
        assert_eq!(verdict(&automaton(&fairness, 2, &[]).unwrap(), &run), None);
    }
}

/// Labels of positions as in the definition of informative prefixes: obligations that are discharged one by one.
fn explains(f: &F, positive: bool, run: &[usize], at: usize) -> bool {
    if at >= run.len() {
        return false;
    }
    let (yes, no) =
        (|f: &F, at: usize| explains(f, positive, run, at), |f: &F, at: usize| explains(f, !positive, run, at));
    match f {
        F::Atom(atom) => (run[at] >> atom & 1 == 1) == positive,
        F::One(op, f) => match op {
            Op1::Not => no(f, at),
            Op1::X | Op1::Wx => yes(f, at + 1),
            Op1::F | Op1::G => {
                let is_until = (*op == Op1::F) == positive;
                if is_until { (at..run.len()).any(|i| yes(f, i)) } else { false }
            }
            _ => panic!("no past here"),
        },
        F::Two(op, f, g) => match op {
            Op2::And | Op2::Or => {
                let is_and = (*op == Op2::And) == positive;
                if is_and { yes(f, at) && yes(g, at) } else { yes(f, at) || yes(g, at) }
            }
            Op2::U | Op2::W if positive => (at..run.len()).any(|i| yes(g, i) && (at..i).all(|j| yes(f, j))),
            // The contrary of an until: g is false up to where f is false as well.
            Op2::U | Op2::W => (at..run.len()).any(|i| yes(f, i) && (at..=i).all(|j| yes(g, j))),
            Op2::R if positive => (at..run.len()).any(|i| yes(f, i) && (at..=i).all(|j| yes(g, j))),
            Op2::R => (at..run.len()).any(|i| yes(g, i) && (at..i).all(|j| yes(f, j))),
            Op2::S => panic!("no past here"),
        },
    }
}

#[test]
fn a_prefix_is_informative_if_the_definition_says_so() {
    let made = all_formulas(2, 4);
    for number in (0..made.len()).filter(|number| !has_past(&made, *number)) {
        let f = written(&made, number);
        let automaton = informative(&given(&f), 2, &[]).unwrap().unwrap();
        for length in 0..=4 {
            for run in runs(4, length) {
                let expected = match (explains(&f, true, &run, 0), explains(&f, false, &run, 0)) {
                    (true, _) => Some(true),
                    (_, true) => Some(false),
                    _ => None,
                };
                let state = &automaton.states[after(&automaton, &run)];
                assert_eq!(state.verdict, expected, "{f:?} on {run:?}");
                if length > 0 {
                    assert_eq!(state.accepts, holds(&f, &run, 0), "{f:?} on {run:?}");
                }
            }
        }
    }
}

#[test]
fn safety_is_told_from_liveness() {
    let p = || atom(0);
    let q = || atom(1);
    let cases = [
        (one(Op1::G, p()), true),
        (one(Op1::F, p()), false),
        (two(Op2::W, p(), q()), true),
        (two(Op2::U, p(), q()), false),
        (one(Op1::G, two(Op2::Or, one(Op1::Not, p()), one(Op1::F, q()))), false),
        (one(Op1::G, two(Op2::Or, one(Op1::Not, p()), one(Op1::O, q()))), true),
        (one(Op1::G, two(Op2::Or, one(Op1::Not, p()), one(Op1::X, q()))), true),
        (one(Op1::X, one(Op1::X, p())), true),
        (one(Op1::G, one(Op1::F, p())), false),
    ];
    for (f, expected) in cases {
        assert_eq!(is_safety(&given(&f), 2, &[]).unwrap(), expected, "{f:?}");
    }
}
