"""A lamp that blinks, as one object. FAULT makes it a wrong one."""

import os


class Refused(Exception):
    pass


class Adapter:
    def __init__(self, initial=None):
        self.fault = os.environ.get("FAULT", "")
        self.interval = None
        self.is_on = False
        # What is on its way: it arrives one step after it was sent.
        self.pulse = self.set = None
        self.timeout = False
        self.left = None
        self.last = None

    def step(self, inputs):
        pulse, setting, timeout = self.pulse, self.set, self.timeout
        self.pulse = self.set = None
        self.timeout = False
        if self.interval is None:
            if inputs.get("interval") is not None:
                self.interval = inputs["interval"]
                self.switch(True)
        elif timeout:
            self.switch(not self.is_on)
        # The timer.
        if self.left is None:
            if setting is not None:
                self.left = setting + (1 if self.fault == "slow" else 0)
        elif self.left == 0:
            self.left, self.timeout = None, True
        elif self.left > 0:
            self.left -= 1
        # The lamp shows what was stored before this step.
        lamp = self.last
        if pulse is not None:
            self.last = pulse
        if self.fault == "dark" and lamp:
            lamp = False
        return {"lamp": lamp}

    def switch(self, is_on):
        self.is_on = self.pulse = is_on
        self.set = self.interval

    def close(self):
        pass
