"""Configuration of external systems, translated into quotas of ours.

In: decoded objects (``wire.integrations``). Out: a ``Translation``: quotas, and a warning for each
difference. One package per system says what its objects mean; ``translation`` makes quotas of it
that our rules accept. Translation is total (any stored object gives quotas or warnings) and does
not depend on the order of objects.
"""
