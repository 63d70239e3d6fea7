"""Runs generated tests against systems that walk along graphs, and prints what is sent and heard.

Reads lines of JSON: gates with data, by number, the text of a module of tests, and graphs of systems. A graph has initial states,
and for each state its visible steps and its hidden ones.
"""

import json
import random
import sys
import types
from fractions import Fraction

LONG_ENOUGH = 300


class Skipped(BaseException):
    pass


class Failed(BaseException):
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


class Refused(Exception):
    pass


class System:
    """Does what a graph does, and chooses by chance."""

    def __init__(self, graph, labels, seed):
        self.graph = graph
        self.labels = labels
        self.numbers = {(gate, canonical(data)): number for number, (gate, data) in enumerate(labels)}
        self.random = random.Random(seed)
        self.state = self.random.choice(graph["initial"])
        self.is_eager = self.random.random() < 0.5
        self.said = []

    def next_output(self):
        for _ in range(LONG_ENOUGH):
            steps = [(None, target) for target in self.graph["hidden"][self.state]]
            steps += [(label, target) for is_input, label, target in self.graph["steps"][self.state] if not is_input]
            if not steps:
                return None
            label, self.state = self.random.choice(steps)
            if label is not None:
                return label
        print("busy")
        return None

    def send(self, gate, data):
        while self.is_eager and self.random.random() < 0.5 and len(self.said) < 4:
            output = self.next_output()
            if output is None:
                break
            self.said.append(output)
        while self.graph["hidden"][self.state] and self.random.random() < 0.5:
            self.state = self.random.choice(self.graph["hidden"][self.state])
        label = self.numbers.get((gate, canonical(data)))
        targets = [target for _, known, target in self.graph["steps"][self.state] if known == label]
        print("sent", "-" if label is None else label, "taken" if targets else "refused")
        if not targets:
            raise Refused()
        self.state = self.random.choice(targets)

    def receive(self):
        output = self.said.pop(0) if self.said else self.next_output()
        print("heard", "-" if output is None else output)
        return None if output is None else self.labels[output]

    def close(self):
        pass


def run(test, module, system):
    module["Adapter"] = lambda *_: system
    try:
        test()
    except Skipped as skipped:
        print("inconclusive:", str(skipped).replace("\n", " "))
    except Failed as failed:
        print("failed", str(failed).replace("\n", " "))


for line in sys.stdin:
    question = json.loads(line)
    print("question", question["question"])
    for name in ["m_adapter", "pytest"]:
        sys.modules[name] = types.ModuleType(name) if name != "pytest" else pytest
    sys.modules["m_adapter"].Adapter, sys.modules["m_adapter"].Refused = System, Refused
    module = {}
    exec(compile(question["tests"], "test_m.py", "exec"), module)
    labels = [(gate, eval(data, {"Fraction": Fraction})) for gate, data in question["labels"]]
    for name, test in list(module.items()):
        if not name.startswith("test_"):
            continue
        for number, graph in enumerate(question["systems"]):
            for seed in range(question["seeds"]):
                print("run", name, number)
                run(test, module, System(graph, labels, seed))
