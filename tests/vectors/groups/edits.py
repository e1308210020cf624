"""Edits of quotas: defaulting, then the rules, as the webhook asks them one after the other.

Quotas live in namespaces of their own names, so that pods of such a namespace are theirs. A quota
below the root that names a tree is what the peer calls the root of that tree: here it carries the
mark ``is-root``, which only the controller writes.
"""

import copy
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from tests.vectors import reading
from tests.vectors.figures import Figure, NotBuiltError
from tests.vectors.reading import Fields, Row

from elasticquota import names, resources
from elasticquota.defaults import quota_defaults
from elasticquota.forest import judge
from elasticquota.forest.membership import Membership
from elasticquota.forest.structure import Forest
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.model.quota import Quota
from elasticquota.rules import chains, placement
from elasticquota.rules.change import Change
from elasticquota.wire import quotas


Manifest = dict[str, Any]

_LABELS = {"parent": names.PARENT, "tree_id": names.TREE_ID}
_STEP = re.compile(r"(\w+) min ([0-9.]+)T")
_WHOLE = {"cpu": 96_000, "memory": 160 * 2**30}
_WITHOUT_MEANING = {"op", "name", "allowed", "why"}


class Store:
    """The quotas as stored, by name; what the rules permit is stored at once."""

    def __init__(self) -> None:
        self.manifests: dict[str, Manifest] = {}

    def forest(self) -> Forest:
        stored = (read(manifest) for manifest in self.manifests.values())
        return judge.build(quota for quota in stored)

    def create(self, written: Manifest, *, default: bool = True) -> bool:
        """Whether the quota may be created; ``default`` is the mutating webhook."""
        metadata = written["metadata"]
        name = metadata["name"]
        if default:
            added = quota_defaults.labels(name, metadata["labels"], self.forest())
            metadata["labels"] = {**metadata["labels"], **added}
        allowed = not chains.judge(Change(None, read(written)), self.forest())
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
            return False  # the API server finds nothing to update and asks nobody
        members = Membership(self.forest(), frozenset())
        own = tuple(pod.key for pod in pods if members.quota_of(pod) == name)
        allowed = not chains.judge(Change(old, read(written), pods=own), self.forest())
        if allowed:
            self.manifests[name] = written
        return allowed

    def delete(self, name: str) -> bool:
        """Whether the quota may go."""
        old = read(self.manifests[name])
        allowed = not chains.judge(Change(old, None), self.forest())
        if allowed:
            del self.manifests[name]
        return allowed

    def stand(self, *written: Manifest | None) -> bool:
        """Whether all of these can be created, one below the other."""
        return all(self.create(each, default=False) for each in written if each is not None)


def manifest(name: str, parent: str = "", **said: Any) -> Manifest:
    """A quota as somebody writes it; ``said`` in the words of the file."""
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


def read(written: Manifest) -> Quota:
    return quotas.read(msgspec.convert(written, quotas.QuotaManifest))


def webhook_self(row: Row, fields: Fields) -> Iterator[Figure]:
    """What one quota says about itself."""
    said = fields.part("quota")
    said.said("max", "min", "used", "annotations")
    forest = Store().forest()
    written = manifest("temp", **said.pairs())
    added = quota_defaults.labels("temp", written["metadata"]["labels"], forest)
    written["metadata"]["labels"].update(added)
    found = chains.judge(Change(None, read(written)), forest)
    yield Figure("allowed", not found, fields["allowed"])
    blamed = re.findall(r"\[([^\]]*)\]", fields.get("reason_gist") or "")
    for resource in blamed and blamed[-1].split(","):
        named = any(violation.field.endswith(f".{resource.strip()}") for violation in found)
        yield Figure(f"reason_gist {resource}", named, True)


def webhook_fill(row: Row, fields: Fields) -> Iterator[Figure]:
    """What defaulting adds; a weight that is not written is max, and so is one of zeros."""
    store = Store()
    for existing in fields.parts("existing"):
        tree_id = existing["tree_id"]
        store.manifests[existing["name"]] = manifest(
            existing["name"], is_parent=True, tree_id=tree_id
        )
    said = fields.part("quota")
    annotations = {}
    if "shared_weight" in said:
        annotations[names.SHARED_WEIGHT] = said["shared_weight"]
    written = manifest(
        said["name"],
        said.get("parent", ""),
        max=said["max"],
        tree_id=said.get("tree_id"),
        annotations=annotations,
    )
    labels = written["metadata"]["labels"]
    labels |= quota_defaults.labels(said["name"], labels, store.forest())
    found = read(written)
    if "expected" in fields:
        expected = fields.part("expected")
        yield Figure("parent_label", labels[names.PARENT], expected["parent_label"])
        tree_id = labels.get(names.TREE_ID, "")
        yield Figure("tree_id_label", tree_id, expected["tree_id_label"])
        weight = expected.amounts("shared_weight")
        yield Figure("shared_weight", _weight(found), weight if any(weight.values()) else found.max)
    if "expected_effective_shared_weight" in fields:
        weight = fields.amounts("expected_effective_shared_weight")
        yield Figure("effective_shared_weight", _weight(found), weight)


def webhook_keys(row: Row, fields: Fields) -> Iterator[Figure]:
    """The resources that parent, quota and child name."""
    fields.said("gate_ElasticQuotaEnableUpdateResourceKey")
    yield from _family(fields, lambda said: {"min": said.get("min"), "max": said.get("max")})


def webhook_tree_id(row: Row, fields: Fields) -> Iterator[Figure]:
    """The trees that parent, quota and child name; or one quota that changes its tree."""
    if "updates" in fields:
        for old, new, allowed in fields["updates"]:
            store = Store()
            store.manifests["q"] = manifest("q", tree_id=old)
            found = store.update("q", manifest("q", tree_id=new))
            yield Figure(f"allowed from '{old}' to '{new}'", found, allowed)
        return
    members = {
        name: {"tree_id": fields[f"{name}_tree_id"]} for name in ("parent", "quota", "child")
    }
    yield Figure("allowed", _stands(members), fields["allowed"])


def webhook_min_sum(row: Row, fields: Fields) -> Iterator[Figure]:
    """Guarantees of a parent, the quota and its child."""
    if "steps" in fields:
        yield from _min_steps(fields)
        return
    yield from _family(fields, lambda said: {"min": said.pairs()})


def webhook_guarantee(row: Row, fields: Fields) -> Iterator[Figure]:
    """A min under a parent whose figures are published as guaranteed."""
    store = Store()
    tree_id = fields["tree_id"]
    for name, parent in (("parent", ""), ("sibling", "parent")):
        store.manifests[name] = _guaranteed(fields.part(name), name, parent, tree_id)
    found = store.create(_guaranteed(fields.part("quota"), "quota", "parent", tree_id))
    yield Figure("allowed", found, fields["allowed"])


def webhook_sequences(row: Row, fields: Fields) -> Iterator[Figure]:
    """One operation after the other on one store."""
    store = Store()
    for quota in fields.parts("quotas"):
        store.create(manifest(quota["name"], quota.get("parent", ""), **_words(quota)))
    for number, op in enumerate(fields.parts("ops"), start=1):
        what = f"{number}. {op['op']}"
        run = _OPERATIONS.get(op["op"])
        if run is None:
            raise reading.ReadingError(f"{op.where}: '{op['op']}' is no operation")
        yield Figure(f"allowed {what}", run(store, op), op["allowed"])
        if "bindings_after" in op:
            bound = {
                namespace
                for each in store.manifests.values()
                for namespace in read(each).namespaces
            }
            yield Figure(f"bindings_after {what}", len(bound), op["bindings_after"])


def _create(store: Store, op: Fields) -> bool:
    name = op["name"]
    if op.get("repeat"):
        # The API server itself refuses the same key; the name is taken in every namespace.
        again = copy.deepcopy(store.manifests[name])
        again["metadata"]["namespace"] = "elsewhere"
        return store.create(again)
    written = manifest(name, op.get("parent", ""), **_words(op))
    return store.create(written, default=not op.get("skip_mutation", False))


def _update(store: Store, op: Fields) -> bool:
    name = op["name"]
    written = copy.deepcopy(store.manifests.get(name) or manifest(name, max={"pods": "1"}))
    if "change" in op:
        _apply(written, op.part("change"))
    count = op.get("pods_with_label", 0)
    pods = [Pod(Key("ns", f"{i}"), f"{i}", "", quota_label=name) for i in range(count)]
    for namespace, count in op.beginning("pods_in_namespace_").items():
        pods += [Pod(Key(namespace, f"{i}"), f"n-{i}", "") for i in range(count)]
    return store.update(name, written, tuple(pods))


def _delete(store: Store, op: Fields) -> bool:
    return store.delete(op["name"])


def _pod_create(store: Store, op: Fields) -> bool:
    return _may_hold_pods(store, op["quota_label"])


def _pod_update(store: Store, op: Fields) -> bool:
    op.said("from")
    if "gate" in op:
        raise NotBuiltError(f"a switch like {op['gate']} (semantics 4, other switches)")
    return _may_hold_pods(store, op["to"])


def _may_hold_pods(store: Store, label: str) -> bool:
    forest = store.forest()
    pod = Pod(Key("ns", "pod"), "pod", "", quota_label=label)
    return not placement.check(Membership(forest, frozenset()).quota_of(pod), forest)


_OPERATIONS = {
    "create": _create,
    "update": _update,
    "delete": _delete,
    "pod-create": _pod_create,
    "pod-update": _pod_update,
}


def _words(op: Fields) -> dict[str, Any]:
    """The words of ``manifest`` among the fields of an operation."""
    said = {name: op.get(name) for name in ("min", "max", "tree_id", "is_parent")}
    if "namespaces" in op:
        said["annotations"] = {"namespaces": op["namespaces"]}
    return said


def _apply(written: Manifest, change: Fields) -> None:
    metadata = written["metadata"]
    for name, value in change.pairs().items():
        if name in ("min", "max"):
            written["spec"][name] = value
        elif name in _LABELS:
            metadata["labels"][_LABELS[name]] = value
        elif name == "is_parent":
            metadata["labels"][names.IS_PARENT] = "true" if value else "false"
        elif name in ("namespaces", "annotation shared-weight"):
            key = names.NAMESPACES if name == "namespaces" else names.SHARED_WEIGHT
            metadata["annotations"][key] = json.dumps(value)
        else:
            raise reading.ReadingError(f"{change.where}: '{name}' is nothing to change")


def _family(fields: Fields, words: Any) -> Iterator[Figure]:
    members: dict[str, Mapping[str, Any] | None] = {}
    for name in ("parent", "quota", "child"):
        present = fields[name] is not None
        members[name] = words(fields.part(name)) if present else None
    yield Figure("allowed", _stands(members), fields["allowed"])


def _stands(members: Mapping[str, Mapping[str, Any] | None]) -> bool:
    """Whether these may be created from the top; a missing one stands for the root."""
    written, above = [], ""
    for name, said in members.items():
        if said is None:
            continue
        written.append(manifest(name, above, is_parent=True, **said))
        above = name
    return Store().stand(*written)


def _min_steps(fields: Fields) -> Iterator[Figure]:
    """The parent has everything, T; children come with parts of it."""
    if fields["parent"] != "T":
        raise reading.ReadingError(f"{fields.where}.parent must be T where there are steps")
    store = Store()
    store.create(manifest("parent", is_parent=True, min=resources.text(_WHOLE)))
    for step, allowed in fields["steps"]:
        match = _STEP.fullmatch(step)
        if match is None:
            raise reading.ReadingError(f"{fields.where}.steps: '{step}' is no step")
        part = {key: int(amount * float(match[2])) for key, amount in _WHOLE.items()}
        found = store.create(manifest(match[1], "parent", min=resources.text(part)))
        yield Figure(f"allowed {step}", found, allowed)


def _guaranteed(said: Fields, name: str, parent: str, tree_id: str) -> Manifest:
    said.said("is_root")
    return manifest(
        name,
        parent,
        min=said["min"],
        tree_id=tree_id,
        is_parent=not parent,
        annotations={"guaranteed": said["guaranteed"]},
    )


def _weight(quota: Quota) -> resources.Resources:
    """The weight in effect, which is max where none is given."""
    given = quota.shared_weight or {}
    return given if any(given.values()) else quota.max


TABLES = {
    ("webhook_self", "vectors"): webhook_self,
    ("webhook_fill", "vectors"): webhook_fill,
    ("webhook_keys", "vectors"): webhook_keys,
    ("webhook_tree_id", "vectors"): webhook_tree_id,
    ("webhook_min_sum", "vectors"): webhook_min_sum,
    ("webhook_guarantee", "vectors"): webhook_guarantee,
    ("webhook_sequences", "vectors"): webhook_sequences,
}
