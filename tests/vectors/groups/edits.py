"""Single edits of quotas, through the door as the webhook has it."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from elasticquota import names, resources
from elasticquota.defaulting import quota_defaults
from elasticquota.model.quota import Quota
from elasticquota.validation import chains
from elasticquota.validation.change import Change
from elasticquota.validation.severity import USUAL, Validation
from tests.vectors import quota_store, reading
from tests.vectors.figures import Figure
from tests.vectors.quota_store import Manifest, Store
from tests.vectors.reading import Fields, Row


_STEP = re.compile(r"(\w+) min ([0-9.]+)T")
_WHOLE = {"cpu": 96_000, "memory": 160 * 2**30}


def webhook_self(row: Row, fields: Fields) -> Iterator[Figure]:
    """What one quota says about itself."""
    said = fields.part("quota")
    said.said("max", "min", "used", "annotations")
    forest = Store().forest()
    written = quota_store.manifest("temp", **said.pairs())
    added = quota_defaults.labels("temp", written["metadata"]["labels"], forest)
    written["metadata"]["labels"].update(added)
    change = Change(None, quota_store.read(written), used=quota_store.used(written))
    found = chains.judge(change, forest).refused
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
        store.manifests[existing["name"]] = quota_store.manifest(
            existing["name"], is_parent=True, tree_id=tree_id
        )
    said = fields.part("quota")
    annotations = {}
    if "shared_weight" in said:
        annotations[names.SHARED_WEIGHT] = said["shared_weight"]
    written = quota_store.manifest(
        said["name"],
        said.get("parent", ""),
        max=said["max"],
        tree_id=said.get("tree_id"),
        annotations=annotations,
    )
    labels = written["metadata"]["labels"]
    labels |= quota_defaults.labels(said["name"], labels, store.forest())
    found = quota_store.read(written)
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
    subset = fields["gate_ElasticQuotaEnableUpdateResourceKey"]
    rules = USUAL if subset else Validation(overrides={"EQ1103-equal": "deny"})
    yield from _family(fields, lambda said: {"min": said.get("min"), "max": said.get("max")}, rules)


def webhook_tree_id(row: Row, fields: Fields) -> Iterator[Figure]:
    """The trees that parent, quota and child name; or one quota that changes its tree."""
    if "updates" in fields:
        for old, new, allowed in fields["updates"]:
            store = Store()
            store.manifests["q"] = quota_store.manifest("q", tree_id=old)
            found = store.update("q", quota_store.manifest("q", tree_id=new))
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


def _family(fields: Fields, words: Any, rules: Validation = USUAL) -> Iterator[Figure]:
    members: dict[str, Mapping[str, Any] | None] = {}
    for name in ("parent", "quota", "child"):
        present = fields[name] is not None
        members[name] = words(fields.part(name)) if present else None
    yield Figure("allowed", _stands(members, rules), fields["allowed"])


def _stands(members: Mapping[str, Mapping[str, Any] | None], rules: Validation = USUAL) -> bool:
    """Whether these may be created from the top; a missing one stands for the root."""
    written, above = [], ""
    for name, said in members.items():
        if said is None:
            continue
        written.append(quota_store.manifest(name, above, is_parent=True, **said))
        above = name
    return Store(rules).stand(*written)


def _min_steps(fields: Fields) -> Iterator[Figure]:
    """The parent has everything, T; children come with parts of it."""
    if fields["parent"] != "T":
        raise reading.ReadingError(f"{fields.where}.parent must be T where there are steps")
    store = Store()
    store.create(quota_store.manifest("parent", is_parent=True, min=resources.text(_WHOLE)))
    for step, allowed in fields["steps"]:
        match = _STEP.fullmatch(step)
        if match is None:
            raise reading.ReadingError(f"{fields.where}.steps: '{step}' is no step")
        part = {key: int(amount * float(match[2])) for key, amount in _WHOLE.items()}
        found = store.create(quota_store.manifest(match[1], "parent", min=resources.text(part)))
        yield Figure(f"allowed {step}", found, allowed)


def _guaranteed(said: Fields, name: str, parent: str, tree_id: str) -> Manifest:
    said.said("is_root")
    return quota_store.manifest(
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
}
