"""A refusal: why the API server did not let a pod go when it was last asked to."""

from dataclasses import dataclass
from typing import Literal

from elasticquota.model.key import Key


Keeper = Literal["DisruptionBudget", "SeveralBudgets", "ApiServer"]
"""Who keeps the pod: a budget for now; two budgets that match it, until they change; the server."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """The pod, its quota, for which quota it was asked (empty: for a limit), and who keeps it."""

    pod: Key
    quota: str
    owner: str
    keeper: Keeper
    budget: str = ""
    """Name of the budget, or of several, where it is known; of the pod's namespace."""
    seconds: int = 0
    """For how long budgets may keep the pod, then it is deleted; 0: for ever."""

    def __str__(self) -> str:
        match self.keeper:
            case "DisruptionBudget" if self.budget:
                budget = f"disruption budget {self.pod.namespace}/{self.budget}"
                return f"{budget} protects them {self._how_long}"
            case "DisruptionBudget":
                return f"a disruption budget in {self.pod.namespace} protects them {self._how_long}"
            case "SeveralBudgets":
                which = f" ({self.budget})" if self.budget else ""
                text = f"several disruption budgets{which} match pod {self.pod}"
                return f"{text}, so nobody can evict it until they are changed{self._or_deleted}"
            case "ApiServer":
                return f"the API server refuses to evict pod {self.pod}; its events say why"

    @property
    def _how_long(self) -> str:
        return f"for now, and for {self.seconds} s at most" if self.seconds else "for now"

    @property
    def _or_deleted(self) -> str:
        return f"; it is deleted after {self.seconds} s" if self.seconds else ""
