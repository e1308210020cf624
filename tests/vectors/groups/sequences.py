"""Operations one after the other on one store of quotas."""

import copy
import json
from collections.abc import Iterator, Mapping
from typing import Any

from elasticquota import names
from elasticquota.forest.membership import Membership
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.validation import chains
from elasticquota.validation.severity import Level, Validation
from tests.vectors import quota_store, reading
from tests.vectors.figures import Figure
from tests.vectors.quota_store import Manifest, Store
from tests.vectors.reading import Fields, Row


_LABELS = {"parent": names.PARENT, "tree_id": names.TREE_ID}


_NONE: Mapping[str, Level] = {}


def webhook_sequences(row: Row, fields: Fields) -> Iterator[Figure]:
    """One operation after the other on one store."""
    store = Store()
    for quota in fields.parts("quotas"):
        store.create(quota_store.manifest(quota["name"], quota.get("parent", ""), **_words(quota)))
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
                for namespace in quota_store.read(each).namespaces
            }
            yield Figure(f"bindings_after {what}", len(bound), op["bindings_after"])


def _create(store: Store, op: Fields) -> bool:
    name = op["name"]
    if op.get("repeat"):
        # The API server itself refuses the same key; the name is taken in every namespace.
        again = copy.deepcopy(store.manifests[name])
        again["metadata"]["namespace"] = "elsewhere"
        return store.create(again)
    written = quota_store.manifest(name, op.get("parent", ""), **_words(op))
    return store.create(written, default=not op.get("skip_mutation", False))


def _update(store: Store, op: Fields) -> bool:
    name = op["name"]
    # Where nothing is stored or nothing said, any edit with a meaning will do.
    stored = store.manifests.get(name) or quota_store.manifest(name, max={"x": "1"})
    written = copy.deepcopy(stored)
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
    gate = op.get("gate")
    if gate not in (None, "SupportParentQuotaSubmitPod"):
        raise reading.ReadingError(f"{op.where}.gate: '{gate}' is no gate")
    return _may_hold_pods(store, op["to"], {"PD1301": "off"} if gate else {})


def _may_hold_pods(store: Store, label: str, overrides: Mapping[str, Level] = _NONE) -> bool:
    # Any pod may name any quota there.
    validation = Validation(overrides={"PD1307-unbound": "off", **overrides})
    pod = Pod(Key("ns", "pod"), "pod", "", quota_label=label)
    return not chains.judge_pod(pod, Membership(store.forest()), validation).refused


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


TABLES = {("webhook_sequences", "vectors"): webhook_sequences}
