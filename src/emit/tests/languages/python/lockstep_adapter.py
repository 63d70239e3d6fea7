"""How tests reach the system: @MODEL@. Written once, never overwritten; it is yours to fill in."""

@INTERFACE@

class Refused(Exception):
    """The system refuses what it is given."""


class Adapter:
    """One system, fresh for each test."""

    def __init__(self, initial=None):
        raise NotImplementedError("start the system")

    def step(self, inputs):
        """Applies inputs (a dictionary; absent is None), and returns the outputs of the same step, in the same way."""
        raise NotImplementedError

    def close(self):
        """Ends the system."""
