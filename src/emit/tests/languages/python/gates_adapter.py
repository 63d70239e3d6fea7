"""How tests reach the system: @MODEL@. Written once, never overwritten; it is yours to fill in."""

@INTERFACE@

class Refused(Exception):
    """The system refuses what it is given."""


class Adapter:
    """One system, fresh for each test."""

    def __init__(self, initial=None):
        raise NotImplementedError("start the system")

    def send(self, gate, data):
        """Gives the system an input, returns its result if it has one; raises Refused if it is not taken."""
        raise NotImplementedError

    def receive(self):
        """The next output as (gate, data), or None if there is none for so long that there will be none."""
        raise NotImplementedError

    def close(self):
        """Ends the system."""
