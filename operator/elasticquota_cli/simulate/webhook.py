"""Does to new pods and changed quotas what the webhook does, with the same rules.

An instance is for one state of the quotas. A pod gets its quota's label and the gate, or is
refused; a quota is completed and checked.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from elasticquota import names
from elasticquota.defaulting import pod_gate, quota_defaults
from elasticquota.forest import violation
from elasticquota.forest.incremental import IncrementalForest
from elasticquota.forest.membership import NO_QUOTA
from elasticquota.forest.structure import Forest
from elasticquota.ledger.nodes import tree_nodes
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.model.profile import Profile
from elasticquota.model.quota import Quota
from elasticquota.resources import EMPTY, Resources
from elasticquota.structs import replace
from elasticquota.validation import chains, guaranteed_use
from elasticquota.validation.change import Change
from elasticquota.validation.profile_change import ProfileChange
from elasticquota.validation.severity import Findings
from elasticquota.wire.quota import equal_keys
from elasticquota_cli.simulate.world import World, merge_patch


class Webhook:
    """The rules of the webhook, for the quotas of the world and those stored since."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._accounting = world.policy.accounting
        stored = [*world.quotas.values(), *_published_root(world)]
        self._followed = IncrementalForest(self._accounting.terms, stored)
        self.warnings: list[str] = []
        """Of what it has let pass."""
        self.members = self._accounting.membership(self._followed.forest)

    @property
    def forest(self) -> Forest:
        """The quotas by which it judges."""
        return self.members.forest

    def store(self, quota: Quota, document: Mapping[str, Any]) -> None:
        """Store a quota that passed."""
        self._world.put_quota(quota, document)
        self._followed.update({quota.key: quota})
        self.members = self._accounting.membership(self._followed.forest)

    def refusal(self, pod: Pod, subject: str) -> str:
        """Why no such pod may be created, or an empty text."""
        return self._refusal(subject, chains.judge_pod(pod, self.members, self._world.validation))

    def admitted(self, pod: Pod) -> Pod:
        """The new pod as it would be stored."""
        hold = pod_gate.hold(pod, self.members.quota_of(pod), self.forest)
        if not hold.gate:
            return pod
        return replace(
            pod, quota_label=hold.label or pod.quota_label, gates=(*pod.gates, names.GATE)
        )

    def completed(self, key: Key, content: Mapping[str, Any]) -> Mapping[str, Any]:
        """The document of a quota with what the webhook fills in."""
        stored = self._world.document(names.QUOTA_KIND, key)
        content = followed(content, stored, equal_keys.QUOTA)
        labels = equal_keys.of_document(content).labels
        before = equal_keys.of_document(stored).labels if stored else None
        filled: dict[str, Any] = {}
        if before is None:
            filled["labels"] = quota_defaults.labels(key.name, labels, self.forest)
        asked = quota_defaults.parent_to_ask(key, labels, before, self.forest)
        if asked == names.ROOT_QUOTA:
            # The user who applies the files is assumed to have the permission.
            filled["annotations"] = {names.PLACED_BELOW: asked}
        return merge_patch(content, {"metadata": filled}) if filled else content

    def judge(self, old: Quota | None, new: Quota | None, document: Mapping[str, Any]) -> str:
        """Why this change of a quota is refused, or an empty text; ``document`` is the new one."""
        change = Change(old, new, used=EMPTY if old is None else self._used(old.name))
        if new is not None:
            stored = self._world.document(names.QUOTA_KIND, new.key)
            change = replace(change, size=_size(document), old_size=_size(stored))
        namespaces = self._world.ledger.namespaces
        leaving = namespaces.get(change.quota.key.namespace)
        change = replace(
            change,
            namespace_leaves=leaving is not None and leaving.terminating,
            name_of_namespace=change.quota.name in namespaces,
        )
        if change.needs_pods:
            pods = self._world.pods.values()
            own = [pod.key for pod in pods if self.members.quota_of(pod) == change.quota.name]
            change = replace(change, pods=tuple(own))
        if guaranteed_use.needs_use(change, self.forest):
            used = {name: self._used(name) for name in self.forest.quotas}
            change = replace(change, used_by=used)
        subject = f"{names.QUOTA_KIND} {change.quota.key}"
        return self._refusal(subject, chains.judge(change, self.forest, self._world.validation))

    def judge_profile(
        self, old: Profile | None, new: Profile | None, document: Mapping[str, Any]
    ) -> str:
        """Why this change of a profile is refused, or an empty text; ``document`` as in `judge`."""
        validation = self._world.validation
        if new is not None:
            stored = self._world.ledger.profiles
            others = [other for key, other in sorted(stored.items()) if key != new.key]
            before = self._world.document(names.PROFILE_KIND, new.key)
            change = ProfileChange(old, new, others, size=_size(document), old_size=_size(before))
            findings = chains.judge_profile(change, self.forest, validation)
            return self._refusal(f"{names.PROFILE_KIND} {new.key}", findings)
        if old is None:
            return ""
        findings = chains.judge_profile_removal(
            old, self.forest, validation, namespace_leaves=False
        )
        return self._refusal(f"{names.PROFILE_KIND} {old.key}", findings)

    def strays(self, pods: Iterable[Pod]) -> int:
        """The number of these pods that belong to no quota, or only to the default quota."""
        without_team = (names.DEFAULT_QUOTA, NO_QUOTA)
        return sum(self.members.quota_of(pod) in without_team for pod in pods)

    def _refusal(self, subject: str, found: Findings) -> str:
        if found.refused:
            return violation.render(subject, found.refused)
        if found.warned:
            self.warnings.append(f"the webhook warns: {violation.render(subject, found.warned)}")
        return ""

    def _used(self, quota: str) -> Resources:
        """The ``used`` in the status of the quota."""
        cluster = self._world.ledger.update(self._accounting)
        tree_id = cluster.forest.tree_of.get(quota)
        if tree_id is None:
            return cluster.account(quota).used
        return cluster.trees[tree_id].used[quota]


def _size(document: Mapping[str, Any]) -> int:
    """Bytes of JSON."""
    return len(msgspec.json.encode(document))


def _published_root(world: World) -> Iterator[Quota]:
    """The root of the default tree with the total that the controller publishes of its nodes."""
    cluster = world.ledger.update(world.policy.accounting)
    tree = cluster.nodes_by_tree.get(names.DEFAULT_TREE, tree_nodes.NONE)
    if tree.nodes and cluster.forest.quotas[names.ROOT_QUOTA].total is None:
        key = Key(world.policy.accounting.terms.home or "", names.ROOT_QUOTA)
        yield Quota(key, uid="", created="", total=tree.total)


def followed(
    content: Mapping[str, Any], stored: Mapping[str, Any], pairs: equal_keys.Pairs
) -> Mapping[str, Any]:
    """The document of a quota or profile, with the fields and keys that follow others."""
    written, old = map(equal_keys.of_document, (content, stored))
    found = equal_keys.followed(written, content.get("spec"), old, stored.get("spec"), pairs)
    moved = {"spec": found.fields} if found.fields else {}
    return merge_patch(content, {"metadata": found.keys._asdict(), **moved})
