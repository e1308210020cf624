"""Arbitrary edits as users write them: manifests of quotas, most of them good, and removals.

They are the edits of ``edits`` as manifests, with more fields and with values that cannot be read.
"""

import random
from typing import Any, Final

import edits
from edits import Edit
from elasticquota import names
from elasticquota.model.key import Key
from elasticquota.model.quota import Quota


Document = dict[str, Any]

_LABELS: Final = (
    {names.IS_PARENT: "True"},
    {names.ALLOW_LENT: "no"},
    {names.ALLOW_FORCE_UPDATE: "true"},
)
_ANNOTATIONS: Final = (
    {names.SHARED_WEIGHT: '{"device": 2}'},
    {names.SHARED_WEIGHT: '{"gpu": 2, "cpu": -1}'},
    {names.SHARED_WEIGHT: "much"},
    {names.NAMESPACES: '["x", "y"]'},
    {names.NAMESPACES: "x"},
    {names.STRICT_KEYS: '["device"]'},
    {names.STRICT_KEYS: "device"},
    {names.PLACED_BELOW: "dept"},
    {names.PARENT: "sub"},
)
_SPECS: Final[tuple[Document, ...]] = (
    {"min": {"device": 8}, "max": {"device": 4}},
    {"min": {"gpu": 1}, "max": {"device": 9}},
    {"min": {"device": "4x"}},
    {"max": {"device": -1}},
    {"max": {"device": 2}},
    {"max": 5},
    {"min": {"device": "1e99"}, "max": None},
    {"pools": [{"name": "a100", "max": {"device": 1}}]},
    {"pools": [{"name": "a100", "min": {"device": 2}, "max": {"device": 1}}]},
    {"access": {"children": []}},
    {"access": {"children": ["ns", "*"]}},
    {"access": {"children": "all"}},
    {"access": {"pods": ["other"]}},
    {"namespaces": ["ns", "x"]},
    {"namespaces": ["Not a name"]},
    {"weight": {"device": "3"}},
    {"weight": {"gpu": "3"}},
    {"isParent": True},
    {"isParent": False},
    {"parent": "dept"},
    {"parent": "b"},
    {"reclaim": {"grace": "soon", "preemption": "Never"}},
    {"queue": {"policy": "Strict"}},
    {"limits": {"people": 3}},
    {"nodeSelector": {"a b": ["c"]}},
    {"tree": {"enforcement": "Observe"}},
    {"paused": "yes"},
)


_CLOSED: Final = Quota(Key("ns", "closed"), "", "", "dept", is_parent=True, max={"device": 9})
"""It takes no quotas of other namespaces."""


def stored() -> list[Document]:
    """What is there at the beginning, as it was read from a cluster."""
    found = [_living(document(quota)) for quota in (*edits.START, _CLOSED)]
    found[-1]["spec"]["access"] = {"children": []}
    return [*map(_namespace, ("ns", "other", "x")), *found]


def _namespace(name: str) -> Document:
    return {"kind": "Namespace", "apiVersion": "v1", "metadata": {"name": name, "uid": name}}


def batches(seed: str, count: int, size: int) -> list[list[Document]]:
    """``count`` edits in lists of ``size``, each list grown from its own part of the seed."""
    found = []
    for number in range(0, count, size):
        dice = random.Random(f"{seed} {number}")
        found.append([_written(each, dice) for each in edits.grown(dice, size)])
    return found


def _written(edit: Edit, dice: random.Random) -> Document:
    made = document(edit.quota)
    if dice.random() < 0.1:
        made["metadata"]["name"] = dice.choice(("x", "c", "d"))
    if edit.removes:
        return {**made, "$patch": "delete"}
    if dice.random() < 0.1:
        made["metadata"]["labels"] |= dice.choice(_LABELS)
    if dice.random() < 0.15:
        made["metadata"]["annotations"] = dict(dice.choice(_ANNOTATIONS))
    if dice.random() < 0.3:
        made["spec"] |= dice.choice(_SPECS)
    if dice.random() < 0.05:
        made["metadata"] = {"namespace": "other", "name": dice.choice(("c", "d"))}
        made["spec"] = {"parent": "closed", "max": {"device": 1}}
        if dice.random() < 0.5:
            made["metadata"]["annotations"] = {names.PLACED_BELOW: "closed"}
    return made


def document(quota: Quota) -> Document:
    """The quota with the labels of Koordinator."""
    labels = {names.PARENT: quota.parent, names.IS_PARENT: str(quota.is_parent).lower()}
    if quota.tree_id:
        labels[names.TREE_ID] = quota.tree_id
    if quota.is_root:
        labels[names.IS_ROOT] = "true"
    spec: Document = {"min": dict(quota.min), "max": dict(quota.max)}
    if quota.namespaces:
        spec["namespaces"] = list(quota.namespaces)
    metadata = {"namespace": quota.key.namespace, "name": quota.key.name, "labels": labels}
    return {
        "kind": names.QUOTA_KIND,
        "apiVersion": names.QUOTA_API,
        "metadata": metadata,
        "spec": spec,
    }


def _living(written: Document) -> Document:
    metadata = written["metadata"]
    name = metadata["name"]
    metadata |= {"uid": f"uid-{name}", "creationTimestamp": "2025-01-01T00:00:00Z"}
    return written
