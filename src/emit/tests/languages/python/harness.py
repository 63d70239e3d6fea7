@ABOUT@
from collections.abc import Iterable
from fractions import Fraction
from math import isfinite

import pytest

from @NAME@_adapter import Adapter, Refused


def is_bool(value):
    return isinstance(value, bool)


def is_int(value):
    return is_real(value) and value == int(value)


def is_real(value):
    return isinstance(value, (int, Fraction)) and not isinstance(value, bool)


def is_text(value):
    return isinstance(value, str)


def is_any(value):
    return True


def one_of(*names):
    return lambda value: value in names


def record(kinds):
    return lambda value: fits_kinds(kinds, value)


def optional(kind):
    return lambda value: value is None or kind(value)


def list_of(kind):
    return lambda value: isinstance(value, list) and all(map(kind, value))


def set_of(kind):
    return lambda value: isinstance(value, (set, frozenset, list, tuple)) and all(map(kind, value))


def map_of(key, value):
    def is_pair(pair):
        return isinstance(pair, (list, tuple)) and len(pair) == 2 and key(pair[0]) and value(pair[1])

    def is_map(data):
        return isinstance(data, (dict, list, tuple)) and all(map(is_pair, data.items() if isinstance(data, dict) else data))

    return is_map


def made_of(constructors):
    def is_made(value):
        if not isinstance(value, tuple) or not value or not is_text(value[0]) or value[0] not in constructors:
            return False
        kinds = constructors[value[0]]
        return len(kinds) == len(value) - 1 and all(kind(one) for kind, one in zip(kinds, value[1:]))

    return is_made


def fits_kinds(kinds, data):
    """Whether data has the names and the kinds that the model says."""
    return isinstance(data, dict) and set(data) == set(kinds) and all(kind(data[name]) for name, kind in kinds.items())


# What is observed at each gate.
OBSERVED = {
@OBSERVED@}


class Unordered(list):
    """The members of a set, or the pairs of a map, in any order."""

    __hash__ = None

    def __eq__(self, other):
        if isinstance(other, dict):
            other = other.items()
        if not isinstance(other, Iterable):
            return False
        others = [list(one) if isinstance(one, tuple) else one for one in other]
        own = [list(one) if isinstance(one, tuple) else one for one in self]
        return len(own) == len(others) and all(one in others for one in own)

    def __ne__(self, other):
        return not self == other


def exact(value):
    """A value with fractions for floating-point numbers: 0.1 + 0.2 is 3/10."""
    if isinstance(value, float) and isfinite(value):
        return Fraction(value).limit_denominator(10**9)
    if isinstance(value, dict):
        return {key: exact(one) for key, one in value.items()}
    if type(value) in (list, tuple, set):
        return type(value)(exact(one) for one in value)
    return value


def holds(condition, e):
    """Whether a condition holds; data of another kind than the model's meets none."""
    try:
        return condition(e)
    except (KeyError, TypeError, IndexError):
        return False


def shown(name, data):
    values = [f"{key}={value!r}" for key, value in data.items()] if isinstance(data, dict) else [repr(data)]
    return f"{name}({', '.join(values)})"


def inconclusive(why):
    pytest.skip(f"inconclusive: {why}")


def meets(holds, says):
    if not holds:
        inconclusive(f"the system did nothing wrong, but the purpose needs {says}")


def judge(step, on, planned, actual, when=None, says=None, otherwise=(), others=False):
    """What was observed, if it is as planned. A plan and what came are a gate and its data."""
    (gate, wanted), (name, data) = planned, actual
    seen = exact(data)
    if name in OBSERVED and fits_kinds(OBSERVED[name], seen):
        if name == gate and (holds(when, seen) if when else seen == wanted):
            return seen
        if others or any(name == other and holds(one, seen) for other, one in otherwise):
            inconclusive(f"step {step}: the model may allow {shown(name, data)}")
    condition = f" with {says}" if says else ""
    pytest.fail(f"step {step}: {on}expected {shown(gate, wanted)}{condition}, got {shown(name, data)}")


def attempt(step, what, does, lenient):
    """Does something that must be refused."""
    try:
        does()
    except Refused:
        return
    if lenient:
        inconclusive(f"step {step}: the model may take {what} here")
    pytest.fail(f"step {step}: expected {what} to be refused, and it was taken")
@STYLE@@TESTS@
