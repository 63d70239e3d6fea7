"""Turns values of all types. FAULT makes it a wrong one, TEXT is the text that is heard in front of one that is not empty."""

import os
from fractions import Fraction

COLOURS = ["Red", "Green", "Blue"]


class Refused(Exception):
    pass


class Adapter:
    def __init__(self, initial=None):
        self.fault = os.environ.get("FAULT", "")
        self.base = initial["base"]

    def step(self, inputs):
        if inputs["int"] is None:
            # A coin, which shows the other side if that is the ANSWER.
            coin = inputs["bool"]
            return {"new_bool": coin if coin is None or "ANSWER" not in os.environ else not coin}
        number, whole, text = inputs["int"], inputs["struct"], inputs["str"]
        if self.fault == "rounded":
            number = int(float(number))
        if self.fault == "plain":
            text = text.encode("ascii", "replace").decode()
        return {
            "new_int": number + 1,
            "new_float": float("inf") if self.fault == "endless" else inputs["float"] + Fraction(1, 2),
            "new_bool": not inputs["bool"],
            "new_enum": COLOURS[(COLOURS.index(inputs["enum"]) + 1) % 3],
            "new_struct": {"left": whole["right"], "right": whole["left"], "weight": whole["weight"]},
            "new_union": turned(inputs["union"]),
            "new_nil": ("Some", number) if inputs["nil"] == ("None",) else ("None",),
            "new_list": inputs["list"][::-1] + [self.base],
            "new_set": inputs["set"] | {number},
            "new_map": {**inputs["map"], text: number},
            "new_str": (bytes.fromhex(os.environ["TEXT"]).decode() if text else "") + text,
            "new_parts": [*inputs["parts"], whole["left"]],
        }

    def close(self):
        pass


def turned(shape):
    match shape:
        case ("Dot",):
            return ("Circle", 1)
        case ("Circle", radius):
            return ("Box", radius, 2)
        case ("Box", width, height):
            return ("Box", height, width)
        case ("Both", one, other):
            return ("Both", turned(other), turned(one))
