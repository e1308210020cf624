"""Translates the configuration of external systems into quotas.

In: decoded objects (``wire.integrations``). Out: a ``Translation``: quotas, and a warning for each
difference. One package for each system interprets its objects; ``translation`` makes quotas from
the result that our rules accept. Every stored object gives quotas or warnings, never an exception,
and the result does not depend on the order of objects.
"""
