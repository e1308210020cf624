"""A big grove in a live ledger: one running pod for what each quota asks for, one node for all."""

import random
from dataclasses import dataclass, replace
from typing import Any

from hypothesis import strategies as st

from elasticquota import names
from elasticquota.model.key import Key
from elasticquota.model.node import Node
from elasticquota.model.pod import Pod
from elasticquota.model.quota import Quota
from elasticquota.resources import Resources
from ledger_snapshots import picture
from replay import Changed, Gone, Replay
from tree_generator import RESOURCES, Grove


@dataclass(frozen=True)
class Whim:
    """What changes next: the dice pick the quota and the figures."""

    what: str
    seed: int


WHIMS = st.builds(
    Whim,
    st.sampled_from(("pod", "pod", "pod", "min", "max", "weight", "lending", "quota", "node")),
    st.integers(0, 2**32),
)


class Plantation:
    """Tell the ledger of a grove, then change one thing after the other."""

    def __init__(self, grove: Grove) -> None:
        self.replay = Replay()
        self._quotas = {quota.name: quota for quota in grove.quotas}
        self._own = dict(grove.own)
        self._available = grove.available
        for quota in grove.quotas:
            self.replay.tell(Changed(quota))
        for name, asked in grove.own.items():
            self._tell_pod(name, asked)
        self._tell_node()

    def grove(self) -> Grove:
        """How things stand now."""
        return Grove(tuple(self._quotas.values()), self._own, self._available)

    def look(self) -> dict[str, Any]:
        """Whoever keeps sums now brings them up to date."""
        return picture(self.replay.live)

    def runtimes(self) -> dict[str, Resources]:
        found: dict[str, Resources] = self.look()["books"][names.DEFAULT_TREE]["runtime"]
        return found

    def change(self, whim: Whim) -> None:
        dice = random.Random(whim.seed)
        quota = dice.choice(list(self._quotas.values()))
        old = self._available
        bits = max([1, *old.values()]).bit_length()
        figures = {key: dice.getrandbits(bits) for key in RESOURCES if dice.random() < 0.8}
        match whim.what:
            case "pod":
                self._tell_pod(quota.name, figures)
            case "node":
                self._available = {key: figures.get(key, amount) for key, amount in old.items()}
                self._tell_node()
            case "quota":
                self._cut_down_or_plant(quota, figures)
            case "min":
                low = {key: min(figures.get(key, 0), most) for key, most in quota.max.items()}
                self._tell_quota(replace(quota, min=low))
            case "max":
                high = {key: quota.min.get(key, 0) + above for key, above in figures.items()}
                self._tell_quota(replace(quota, max=high))
            case "weight":
                self._tell_quota(replace(quota, shared_weight=figures or None))
            case "lending":
                self._tell_quota(replace(quota, allow_lent=not quota.allow_lent))

    def _cut_down_or_plant(self, quota: Quota, figures: Resources) -> None:
        """One without children and pods goes; below any other a young one comes."""
        name = quota.name
        if len(self._quotas) > 1 and not any(q.parent == name for q in self._quotas.values()):
            self.replay.tell(Gone(Pod, Key("ns", name)))
            self.replay.tell(Gone(Quota, quota.key))
            self._own.pop(name, None)
            del self._quotas[name]
            return
        age = 1 + max(int(quota.uid) for quota in self._quotas.values())
        self._tell_quota(
            replace(
                quota, key=Key("ns", f"q{age}"), uid=f"{age:06}", parent=name, min={}, max=figures
            )
        )

    def _tell_quota(self, quota: Quota) -> None:
        self._quotas[quota.name] = quota
        self.replay.tell(Changed(quota, ("min", "max", "shared_weight", "allow_lent")))

    def _tell_pod(self, name: str, asked: Resources) -> None:
        self._own[name] = asked
        pod = Pod(Key("ns", name), uid=name, created="", quota_label=name, request=asked)
        self.replay.tell(Changed(pod, ("request",)))

    def _tell_node(self) -> None:
        node = Node("all", created="", labels={}, allocatable=self._available)
        self.replay.tell(Changed(node, ("allocatable",)))
