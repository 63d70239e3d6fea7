"""Runs generated tests against graphs of models, and compares each verdict with what the model means.

Reads lines of JSON: the text of a module of tests, the graph of the model, and graphs of systems. A graph has initial states, and
for each state its visible steps and its hidden ones; the last line of the answer counts verdicts.
"""

import json
import random
import sys
import types
from fractions import Fraction

MOST = 20_000
LONG_ENOUGH = 300


class Skipped(BaseException):
    pass


class Failed(BaseException):
    pass


class TooMuch(BaseException):
    pass


def raising(kind):
    def does(why):
        raise kind(why)

    return does


pytest = types.ModuleType("pytest")
pytest.skip, pytest.fail = raising(Skipped), raising(Failed)
sys.modules["pytest"] = pytest


def canonical(value):
    """A value that is equal to another one only if both are the same value of a model."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return ("bool", value)
    if isinstance(value, (int, Fraction)):
        return ("number", Fraction(value))
    if isinstance(value, tuple):
        return ("made", *map(canonical, value))
    if isinstance(value, list):
        return ("list", *map(canonical, value))
    if isinstance(value, (set, frozenset)):
        return ("set", frozenset(map(canonical, value)))
    if isinstance(value, dict):
        return ("map", frozenset((canonical(key), canonical(one)) for key, one in value.items()))
    raise TypeError(value)


class Graph:
    def __init__(self, data):
        self.initial = data["initial"]
        self.hidden = data["hidden"]
        # For each state: whether it is an input, the gate, the data, and what comes after.
        self.steps = []
        names = {"Fraction": Fraction}
        for steps in data["steps"]:
            of_state = []
            for is_input, gate, text, target in steps:
                value = eval(text, names)
                of_state.append((is_input, (gate, canonical(value)), value, target))
            self.steps.append(of_state)

    def closed(self, states):
        todo, done = list(states), set(states)
        while todo:
            for target in self.hidden[todo.pop()]:
                if target not in done:
                    done.add(target)
                    todo.append(target)
        return done

    def is_quiet(self, state):
        return not self.hidden[state] and all(is_input for is_input, *_ in self.steps[state])

    def may_be_busy(self, states):
        """Whether hidden steps may go on for ever."""
        for start in self.closed(states):
            if start in self.closed(self.hidden[start]):
                return True
        return False

    def outputs(self, state):
        return [(label, value, target) for is_input, label, value, target in self.steps[state] if not is_input]

    def after(self, state, label):
        return [target for _, known, _, target in self.steps[state] if known == label]


class Meaning:
    """Where a model may be, with what it has said and nobody has heard."""

    def __init__(self, graph):
        self.graph = graph
        self.places = {(state, ()) for state in graph.closed(graph.initial)}
        # The first thing that the model forbids, and whether nobody can tell.
        self.forbidden = None
        self.is_doubtful = False

    def ahead(self, places, most=4):
        todo, done = list(places), set(places)
        while todo:
            state, said = todo.pop()
            for label, _, target in self.graph.outputs(state):
                for after in self.graph.closed([target]):
                    place = (after, (said + (label,))[:most])
                    if place not in done:
                        done.add(place)
                        todo.append(place)
            if len(done) > MOST:
                raise TooMuch()
        return done

    def wrong(self, what):
        if self.forbidden is None:
            self.forbidden = what

    def sent(self, label, is_taken, is_attempt):
        ahead = self.ahead(self.places)
        taking = {(target, said) for state, said in ahead for target in self.graph.after(state, label)}
        if not is_attempt and not any(self.graph.after(state, label) for state, _ in self.places):
            raise AssertionError(f"{label} is sent where the model does not take it")
        if is_taken:
            if not taking:
                self.wrong(f"{label} is taken")
            self.places = {(after, said) for state, said in taking for after in self.graph.closed([state])}
        elif all(self.graph.after(state, label) for state, _ in ahead):
            self.wrong(f"{label} is refused")

    def heard(self, label):
        if label is None:
            if not any(not said and self.graph.is_quiet(state) for state, said in self.places):
                self.wrong("silence")
                self.is_doubtful |= self.graph.may_be_busy({state for state, said in self.places if not said})
            return
        places = set()
        for state, said in self.places:
            if said:
                if said[0] == label:
                    places.add((state, said[1:]))
            else:
                places.update((after, ()) for target in self.graph.after(state, label) for after in self.graph.closed([target]))
        if not places:
            self.wrong(f"{label} is said")
        self.places = places


class Refused(Exception):
    pass


class System:
    """Does what a graph does, and chooses by chance; `meaning` watches."""

    def __init__(self, graph, meaning, seed):
        self.graph, self.meaning = graph, meaning
        self.random = random.Random(seed)
        self.state = self.random.choice(graph.initial)
        self.is_eager = self.random.random() < 0.5
        self.said = []
        self.is_attempt = False

    def next_output(self):
        for _ in range(LONG_ENOUGH):
            steps = [(None, None, target) for target in self.graph.hidden[self.state]] + self.graph.outputs(self.state)
            if not steps:
                return None
            label, value, self.state = self.random.choice(steps)
            if label is not None:
                return label, value
        # It is busy with itself.
        self.meaning.is_doubtful = True
        return None

    def send(self, gate, data):
        while self.is_eager and self.random.random() < 0.5 and len(self.said) < 4:
            output = self.next_output()
            if output is None:
                break
            self.said.append(output)
        while self.graph.hidden[self.state] and self.random.random() < 0.5:
            self.state = self.random.choice(self.graph.hidden[self.state])
        label = (gate, canonical(data))
        targets = self.graph.after(self.state, label)
        self.meaning.sent(label, bool(targets), self.is_attempt)
        if not targets:
            raise Refused()
        self.state = self.random.choice(targets)

    def receive(self):
        output = self.said.pop(0) if self.said else self.next_output()
        self.meaning.heard(output and output[0])
        return output and (output[0][0], output[1])

    def close(self):
        pass


counts = {}


def judged(name, test, module, model, system, seed):
    meaning = Meaning(model)
    suts = []

    def adapter(*_):
        suts.append(System(system, meaning, seed))
        return suts[0]

    def refuse(sut, *args, **rules):
        sut.is_attempt = True
        original(sut, *args, **rules)
        sut.is_attempt = False

    original = module["refuse"] if module["refuse"].__name__ != "watched" else module["refuse"].original
    refuse.__name__, refuse.original = "watched", original
    module["Adapter"], module["refuse"] = adapter, refuse
    try:
        test()
        verdict, why = "pass", ""
    except Skipped as skipped:
        verdict, why = "inconclusive", str(skipped)
    except Failed as failed:
        verdict, why = "fail", str(failed)
    except TooMuch:
        counts["too much"] = counts.get("too much", 0) + 1
        return
    if meaning.is_doubtful:
        verdict = "doubtful"
    kind = verdict + (" of what is forbidden" if meaning.forbidden else "")
    counts[kind] = counts.get(kind, 0) + 1
    if verdict == "fail" and not meaning.forbidden:
        raise AssertionError(f"{name} fails, and nothing is forbidden: {why}")
    if verdict == "pass" and meaning.forbidden:
        raise AssertionError(f"{name} passes, and {meaning.forbidden}, which is forbidden")


for line in sys.stdin:
    question = json.loads(line)
    try:
        model = Graph(question["model"])
        systems = [model] + [Graph(system) for system in question["systems"]]
        for text in question["tests"]:
            for name in ["m_adapter", "pytest"]:
                sys.modules[name] = types.ModuleType(name) if name != "pytest" else pytest
            sys.modules["m_adapter"].Adapter, sys.modules["m_adapter"].Refused = System, Refused
            module = {}
            exec(compile(text, "test_m.py", "exec"), module)
            tests = [(name, test) for name, test in module.items() if name.startswith("test_")]
            for name, test in tests:
                for system in systems:
                    for seed in range(question["seeds"]):
                        judged(name, test, module, model, system, seed)
        print(json.dumps({"question": question["question"]}), flush=True)
    except AssertionError as wrong:
        print(json.dumps({"question": question["question"], "wrong": str(wrong)}), flush=True)
print(json.dumps({"counts": counts}), flush=True)
