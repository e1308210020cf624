"""The object that a user asks about."""

from collections.abc import Callable
from typing import NamedTuple

from elasticquota.model.key import Key
from elasticquota_cli.explain.report import Report


Explain = Callable[[], Report]
"""Explains what was read; raises ``Failure`` when the object does not exist."""


class Asked(NamedTuple):
    """A pod, a queued job or a quota."""

    what: str
    kind: str
    """The kind of a job, if it was given."""
    key: Key

    def within(self, namespace: str) -> "Asked":
        """The same in the namespace, if none was given; names of quotas need none."""
        if self.key.namespace or self.what == "quota":
            return self
        return self._replace(key=Key(namespace, self.key.name))
