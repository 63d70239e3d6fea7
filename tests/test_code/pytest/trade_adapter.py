"""A trader who chooses what to offer. With FAULT he makes the mistake that he is asked for."""

import os
from fractions import Fraction

BIG = 10**42


class Refused(Exception):
    pass


class Adapter:
    def __init__(self, initial=None):
        self.is_wrong = "FAULT" in os.environ
        self.mistake = ""
        self.outputs = []

    def send(self, gate, data):
        if gate == "class":
            number = data["new"]
            return (int(float(number)) if self.is_wrong else number) + 1
        if gate == "func":
            part = data["def"]
            tags = [] if self.is_wrong else [part["name"]]
            return {"name": part["name"] + "!", "tags": part["tags"] + tags}
        if gate == "lambda":
            self.mistake = data["static"] if self.is_wrong else ""
            self.outputs.append(self.offer(data["static"], data["limit"]))
        elif gate == "self":
            if (data["await"], data["null"]) != self.offered:
                raise Refused
            number, good = self.offered
            late = 0 if self.mistake == "forgetful" else 1
            self.outputs.append(("final", {"void": number + late, "package": good["price"] + 1}))
        elif gate == "async":
            number = BIG + 1 if self.is_wrong else BIG
            self.outputs.append(("this", {"switch": ("Some", number), "super": [Fraction(1, 2), Fraction(1, 3)]}))
        else:
            raise Refused

    def offer(self, name, limit):
        number = limit - BIG + (1 if self.mistake == "greedy" else 0)
        good = {"name": name + "é", "colour": "Blue", "price": Fraction(2, 3)}
        offer = {"goto": number, "yield": good, "throws": True, "extends": 2**64}
        if self.mistake == "cheap":
            good["price"] = Fraction(1, 3)
        elif self.mistake == "same":
            good["name"] = name
        elif self.mistake == "red":
            good["colour"] = "Red"
        elif self.mistake == "false":
            offer["throws"] = False
        # Data of another kind.
        elif self.mistake == "purple":
            good["colour"] = "Purple"
        elif self.mistake == "half":
            offer["extends"] = Fraction(1, 2)
        elif self.mistake == "nothing":
            offer["extends"] = None
        elif self.mistake == "yes":
            offer["throws"] = "yes"
        elif self.mistake == "early":
            return ("this", {"switch": ("Some", BIG), "super": [Fraction(1, 2), Fraction(1, 3)]})
        self.offered = (number, good)
        return ("default", offer)

    def receive(self):
        return self.outputs.pop(0) if self.outputs else None

    def close(self):
        pass
