"""A refusal: why the API server refused the last eviction of a pod."""

from typing import Literal

from elasticquota.model.key import Key
from elasticquota.structs import Struct


Blocker = Literal["DisruptionBudget", "SeveralBudgets", "ApiServer"]
"""What keeps the pod: one budget for now; several budgets until they change; the API server."""


class Refusal(Struct, frozen=True):
    """One refused eviction; as text, why the pod is still there."""

    pod: Key
    quota: str
    owner: str
    """The quota that needs the pod's room; empty: for a limit."""
    blocker: Blocker
    budget: str = ""
    """Name of the budget or budgets, if known; they are in the pod's namespace."""
    seconds: int = 0
    """Seconds for which budgets may keep the pod before it is deleted; 0: without end."""

    def __str__(self) -> str:
        match self.blocker:
            case "DisruptionBudget" if self.budget:
                budget = f"disruption budget {self.pod.namespace}/{self.budget}"
                return f"{budget} protects them {self._how_long}"
            case "DisruptionBudget":
                return f"a disruption budget in {self.pod.namespace} protects them {self._how_long}"
            case "SeveralBudgets":
                which = f" ({self.budget})" if self.budget else ""
                text = f"several disruption budgets{which} match pod {self.pod}"
                return f"{text}, so it cannot be evicted until they are changed{self._or_deleted}"
            case "ApiServer":
                return f"the API server refuses to evict pod {self.pod}; its events say why"

    @property
    def _how_long(self) -> str:
        return f"for now, and for {self.seconds} s at most" if self.seconds else "for now"

    @property
    def _or_deleted(self) -> str:
        return f"; it is deleted after {self.seconds} s" if self.seconds else ""
