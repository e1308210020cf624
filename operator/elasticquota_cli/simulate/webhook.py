"""Does to new pods and changed quotas what the webhook does, with the same rules.

An instance is for one state of the quotas. A pod gets its quota's label and the gate, or is
refused; a quota is completed and checked. A pod without a gate counts as placed by the scheduler.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from elasticquota import names
from elasticquota.defaulting import pod_gate, quota_defaults
from elasticquota.forest import acceptance
from elasticquota.forest.membership import NO_QUOTA
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.model.quota import Quota
from elasticquota.resources import EMPTY, Resources
from elasticquota.structs import replace
from elasticquota.validation import chains, guaranteed_use, violation
from elasticquota.validation.change import Change
from elasticquota.wire.quota import equal_keys
from elasticquota_cli.simulate.world import SOMEWHERE, World, merge_patch


class Webhook:
    """The rules of the webhook; changes nothing in the world."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._accounting = world.policy.accounting
        self.forest = acceptance.build(world.quotas.values(), self._accounting.terms)
        self.members = self._accounting.membership(self.forest)

    def refusal(self, pod: Pod, subject: str) -> str:
        """Why no such pod may be created, or an empty text."""
        found = chains.judge_pod(pod, self.members, self._world.validation).refused
        return violation.render(subject, found) if found else ""

    def admitted(self, pod: Pod) -> Pod:
        """The new pod as it would be stored and, without a gate, placed."""
        hold = pod_gate.hold(pod, self.members.quota_of(pod), self.forest)
        if not hold.gate:
            return placed(pod)
        return replace(
            pod, quota_label=hold.label or pod.quota_label, gates=(*pod.gates, names.GATE)
        )

    def completed(self, key: Key, content: Mapping[str, Any]) -> Mapping[str, Any]:
        """The document of a quota with what the webhook fills in."""
        stored = self._world.document(names.QUOTA_KIND, key)
        content = followed(content, stored, equal_keys.QUOTA)
        if stored:
            return content
        labels = equal_keys.of_document(content).labels
        added = quota_defaults.labels(key.name, labels, self.forest)
        return merge_patch(content, {"metadata": {"labels": added}})

    def judge_stored(self, quota: Quota) -> str:
        """Why the webhook would have refused to create a stored quota, or an empty text.

        An accepted quota has a valid place in its tree, so only its shape is checked.
        """
        accepted = self.forest.verdicts[quota.key].accepted
        stages = chains.FOR_THE_CONTROLLER if accepted else chains.FOR_USERS
        return self._judged(Change(None, quota), stages)

    def judge(self, old: Quota | None, new: Quota | None) -> str:
        """Why this change of a quota is refused, or an empty text."""
        change = Change(old, new, used=EMPTY if old is None else self._used(old.name))
        if change.needs_pods:
            pods = self._world.pods.values()
            own = [pod.key for pod in pods if self.members.quota_of(pod) == change.quota.name]
            change = replace(change, pods=tuple(own))
        if guaranteed_use.needs_use(change, self.forest):
            change = replace(
                change, used_by={name: self._used(name) for name in self.forest.quotas}
            )
        return self._judged(change, chains.FOR_USERS)

    def _judged(self, change: Change, stages: chains.Stages) -> str:
        found = chains.judge(change, self.forest, self._world.validation, stages).refused
        return violation.render(f"{names.QUOTA_KIND} {change.quota.key}", found) if found else ""

    def strays(self, pods: Iterable[Pod]) -> int:
        """The number of these pods that belong to no quota, or only to the default quota."""
        without_team = (names.DEFAULT_QUOTA, NO_QUOTA)
        return sum(self.members.quota_of(pod) in without_team for pod in pods)

    def _used(self, quota: str) -> Resources:
        """The ``used`` in the status of the quota."""
        cluster = self._world.ledger.update(self._accounting)
        tree_id = cluster.forest.tree_of.get(quota)
        if tree_id is None:
            return cluster.account(quota).used
        return cluster.trees[tree_id].used[quota]


def followed(
    content: Mapping[str, Any], stored: Mapping[str, Any], pairs: equal_keys.Pairs
) -> Mapping[str, Any]:
    """The document of a quota or profile, with the fields and keys that follow others."""
    written, old = map(equal_keys.of_document, (content, stored))
    found = equal_keys.followed(written, content.get("spec"), old, stored.get("spec"), pairs)
    moved = {"spec": found.fields} if found.fields else {}
    return merge_patch(content, {"metadata": found.keys._asdict(), **moved})


def placed(pod: Pod) -> Pod:
    """The pod on some node, unless it has one, needs none or has a gate."""
    return pod if pod.gates or pod.bound else replace(pod, node_name=SOMEWHERE)
