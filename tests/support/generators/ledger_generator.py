"""A big tree in a live ledger: one running pod for the request of each quota, one node for all."""

import random
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from elasticquota import names
from elasticquota.model.key import Key
from elasticquota.model.node import Node
from elasticquota.model.pod import Pod
from elasticquota.model.quota import Quota
from elasticquota.resources import Resources
from elasticquota.structs import replace
from ledger_snapshots import picture
from replay import Changed, Gone, Replay
from tree_generator import RESOURCES, TreeCase


@dataclass(frozen=True)
class RandomChange:
    """The next change: ``seed`` chooses the quota and the figures."""

    what: str
    seed: int


RANDOM_CHANGES = st.builds(
    RandomChange,
    st.sampled_from(("pod", "pod", "pod", "min", "max", "weight", "lending", "quota", "node")),
    st.integers(0, 2**32),
)


class TreeInLedger:
    """Feed a tree to a ledger, then change one thing after the other."""

    def __init__(self, case: TreeCase) -> None:
        self.replay = Replay()
        self._quotas = {quota.name: quota for quota in case.quotas}
        self._own = dict(case.own)
        self._available = case.available
        for quota in case.quotas:
            self.replay.tell(Changed(quota))
        for name, asked in case.own.items():
            self._put_pod(name, asked)
        self._put_node()

    def case(self) -> TreeCase:
        """The present state."""
        return TreeCase(tuple(self._quotas.values()), self._own, self._available)

    def look(self) -> dict[str, Any]:
        """Read all figures, so that the ledger updates its sums."""
        return picture(self.replay.live)

    def runtimes(self) -> dict[str, Resources]:
        found: dict[str, Resources] = self.look()["books"][names.DEFAULT_TREE]["runtime"]
        return found

    def change(self, step: RandomChange) -> None:
        dice = random.Random(step.seed)
        quota = dice.choice(list(self._quotas.values()))
        old = self._available
        bits = max([1, *old.values()]).bit_length()
        figures = {key: dice.getrandbits(bits) for key in RESOURCES if dice.random() < 0.8}
        match step.what:
            case "pod":
                self._put_pod(quota.name, figures)
            case "node":
                self._available = {key: figures.get(key, amount) for key, amount in old.items()}
                self._put_node()
            case "quota":
                self._delete_or_add(quota, figures)
            case "min":
                low = {key: min(figures.get(key, 0), most) for key, most in quota.max.items()}
                self._put_quota(replace(quota, min=low))
            case "max":
                high = {key: quota.min.get(key, 0) + above for key, above in figures.items()}
                self._put_quota(replace(quota, max=high))
            case "weight":
                self._put_quota(replace(quota, shared_weight=figures or None))
            case "lending":
                self._put_quota(replace(quota, allow_lent=not quota.allow_lent))

    def _delete_or_add(self, quota: Quota, figures: Resources) -> None:
        """A quota without children and pods is deleted; any other quota gets a new child."""
        name = quota.name
        if len(self._quotas) > 1 and not any(q.parent == name for q in self._quotas.values()):
            self.replay.tell(Gone(Pod, Key("ns", name)))
            self.replay.tell(Gone(Quota, quota.key))
            self._own.pop(name, None)
            del self._quotas[name]
            return
        age = 1 + max(int(quota.uid) for quota in self._quotas.values())
        self._put_quota(
            replace(
                quota, key=Key("ns", f"q{age}"), uid=f"{age:06}", parent=name, min={}, max=figures
            )
        )

    def _put_quota(self, quota: Quota) -> None:
        self._quotas[quota.name] = quota
        self.replay.tell(Changed(quota, ("min", "max", "shared_weight", "allow_lent")))

    def _put_pod(self, name: str, asked: Resources) -> None:
        self._own[name] = asked
        pod = Pod(Key("ns", name), uid=name, created="", quota_label=name, request=asked)
        self.replay.tell(Changed(pod, ("request",)))

    def _put_node(self) -> None:
        node = Node("all", created="", labels={}, allocatable=self._available)
        self.replay.tell(Changed(node, ("allocatable",)))
