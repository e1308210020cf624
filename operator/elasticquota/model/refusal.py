"""A refusal: why the API server refused the last eviction of a pod."""

from typing import Literal

from elasticquota.model.key import Key
from elasticquota.structs import Struct


Blocker = Literal["DisruptionBudget", "SeveralBudgets", "ApiServer"]
"""What keeps the pod: one budget for now; several budgets until they change; the API server."""


class Refusal(Struct, frozen=True):
    """One refused eviction."""

    pod: Key
    quota: str
    owner: str
    """The quota that needs the pod's room; empty: for a limit."""
    blocker: Blocker
    budget: str = ""
    """Name of the budget or budgets, if known; they are in the pod's namespace."""
    seconds: int = 0
    """Seconds for which budgets may keep the pod before it is deleted; 0: without end."""
