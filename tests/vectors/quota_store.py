"""Quotas as written and as stored, with the door before them: defaulting, then the rules.

Quotas live in namespaces of their own names, so that pods of such a namespace are theirs. A quota
below the root that names a tree is what the peer calls the root of that tree: here it carries the
mark ``is-root``, which only the controller writes.
"""

import json
from typing import Any

import msgspec

from elasticquota import names
from elasticquota.defaulting import quota_defaults
from elasticquota.forest import acceptance
from elasticquota.forest.membership import Membership
from elasticquota.forest.structure import Forest
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.model.quota import Quota
from elasticquota.resources import Resources
from elasticquota.validation import chains
from elasticquota.validation.change import Change
from elasticquota.validation.severity import USUAL, Validation
from elasticquota.wire.quota import quotas


Manifest = dict[str, Any]


class Store:
    """The quotas as stored, by name; what the rules permit is stored at once."""

    def __init__(self, validation: Validation = USUAL) -> None:
        self.manifests: dict[str, Manifest] = {}
        self._validation = validation

    def forest(self) -> Forest:
        stored = (read(manifest) for manifest in self.manifests.values())
        return acceptance.build(quota for quota in stored)

    def create(self, written: Manifest, *, default: bool = True) -> bool:
        """Whether the quota may be created; ``default`` is the mutating webhook."""
        metadata = written["metadata"]
        name = metadata["name"]
        if default:
            added = quota_defaults.labels(name, metadata["labels"], self.forest())
            metadata["labels"] = {**metadata["labels"], **added}
        allowed = self._allows(Change(None, read(written)))
        if allowed:
            self.manifests[name] = written
        return allowed

    def update(self, name: str, written: Manifest, pods: tuple[Pod, ...] = ()) -> bool:
        """Whether the edit is allowed; ``pods`` live now."""
        if name in names.RESERVED_QUOTAS:
            old = Quota(Key("koordinator-system", name), name, "")
        elif name in self.manifests:
            old = read(self.manifests[name])
        else:
            return False  # the API server finds nothing to update and calls no webhook
        members = Membership(self.forest())
        own = tuple(pod.key for pod in pods if members.quota_of(pod) == name)
        allowed = self._allows(Change(old, read(written), pods=own))
        if allowed:
            self.manifests[name] = written
        return allowed

    def delete(self, name: str) -> bool:
        """Whether the quota may go."""
        old = read(self.manifests[name])
        allowed = self._allows(Change(old, None))
        if allowed:
            del self.manifests[name]
        return allowed

    def _allows(self, change: Change) -> bool:
        return not chains.judge(change, self.forest(), self._validation).refused

    def stand(self, *written: Manifest | None) -> bool:
        """Whether all of these can be created, one below the other."""
        return all(self.create(each, default=False) for each in written if each is not None)


def manifest(name: str, parent: str = "", **said: Any) -> Manifest:
    """A quota as a user writes it; ``said`` in the words of the file."""
    tree_id = said.get("tree_id") or ""
    labels = {names.PARENT: parent, names.TREE_ID: tree_id}
    if said.get("is_parent"):
        labels[names.IS_PARENT] = "true"
    if tree_id and parent in ("", names.ROOT_QUOTA):
        labels[names.IS_ROOT] = "true"
    annotations = {
        key if "/" in key else f"quota.scheduling.koordinator.sh/{key}": json.dumps(value)
        for key, value in (said.get("annotations") or {}).items()
    }
    return {
        "metadata": {
            "namespace": name,
            "name": name,
            "labels": {key: value for key, value in labels.items() if value},
            "annotations": annotations,
        },
        "spec": {"min": said.get("min") or {}, "max": said.get("max") or {}},
        "status": {"used": said.get("used") or {}},
    }


def used(written: Manifest) -> Resources:
    """What the pods of the quota use, as its status says."""
    return quotas.used(msgspec.convert(written, quotas.StoredQuota))


def read(written: Manifest) -> Quota:
    return quotas.read(msgspec.convert(written, quotas.QuotaManifest))
