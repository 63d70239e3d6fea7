"""A supplier that works: it chooses reference numbers and quantities of its own. FAULT makes it a wrong one."""

import os


class Refused(Exception):
    pass


class Adapter:
    numbers = 4711

    def __init__(self, initial=None):
        self.fault = os.environ.get("FAULT", "")
        self.outputs = []
        self.phase = "idle"

    def send(self, gate, data):
        if gate == "rq" and self.phase == "idle":
            Adapter.numbers += 17
            self.ref = Adapter.numbers
            self.product = data["prod"]
            if data["quant"] == 0:
                self.phase = "stuck"
                return
            # Never more than half of what was asked for; a wrong one offers all of it.
            quant = data["quant"] if self.fault == "greedy" else data["quant"] // 2
            self.outputs.append(("gq", {"ref": self.ref, "prod": self.product, "quant": quant}))
            self.phase = "quoted"
        elif gate == "ord" and self.phase == "quoted" and data["ref"] == self.ref:
            ref = self.ref + 1 if self.fault == "forgetful" else self.ref
            self.outputs.append((os.environ.get("ANSWER", "confirm"), {"ref": ref}))
            self.phase = "idle"
        else:
            raise Refused

    def receive(self):
        return self.outputs.pop(0) if self.outputs else None

    def close(self):
        pass
