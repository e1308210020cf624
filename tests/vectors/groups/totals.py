"""What a tree has: totals of trees, root quotas of profiles, tree ids, exact ratios."""

import json
from collections.abc import Iterator

import msgspec

from elasticquota import names, resources
from elasticquota.model.decision import RootQuota
from elasticquota.model.key import Key
from elasticquota.model.profile import Profile
from elasticquota.model.quota import Quota
from elasticquota.model.selector import Requirement, Selector
from elasticquota.resources import Resources
from elasticquota.wire.quota import profiles, roots
from tests.vectors import figures, product, reading
from tests.vectors.figures import Figure
from tests.vectors.product import Cluster
from tests.vectors.reading import Fields, Row


_PROFILE_SCHEMA = (
    "nodes: node1 zone a Ready, node2 zone a NotReady, node3 zone b Ready; each allocatable cpu "
    "10, memory 1000, storage 1000. namespace is empty, so the hashed string is '/profile1'"
)
_OFFER = resources.parse({"cpu": "10", "memory": "1000", "storage": "1000"})
_ZONE = "zone"


def tree_totals(row: Row, fields: Fields) -> Iterator[Figure]:
    """What the default tree shares, after other trees and the pods of no tree."""
    cluster = Cluster()
    if "nodes_total" in fields:
        left: Resources = fields.amounts("nodes_total")
        for name, written in (fields.get("tree_totals") or {}).items():
            total = reading.amounts(written, name)
            left = resources.subtract(left, total)
            cluster.node(name, total, {"tree": name})
            cluster.profile(
                Profile(
                    key=Key("", name),
                    uid=name,
                    created="",
                    quota_name=f"{name}-root",
                    selector=Selector((Requirement("tree", "In", (name,)),)),
                )
            )
        cluster.node("rest", left)
        expected = fields.amounts("expected_default_tree_total")
        yield from figures.of_amounts("default_tree_total", cluster.total(), expected)
        return
    cluster.node("node", fields.amounts("total"))
    system, default = fields.amounts("system_used"), fields.amounts("default_used")
    cluster.pod("system", "", system, node="node", namespace=product.SYSTEM)
    cluster.pod("default", "", default, node="node")
    yield from figures.of_amounts(
        "available", cluster.available(), fields.amounts("expected_available")
    )


def profile(row: Row, fields: Fields) -> Iterator[Figure]:
    """The root quota that a profile wants, as it is stored."""
    _know(row, _PROFILE_SCHEMA)
    cluster = Cluster()
    cluster.node("node1", _OFFER, {_ZONE: "a"})
    cluster.node("node2", _OFFER, {_ZONE: "a"}, ready=False)
    cluster.node("node3", _OFFER, {_ZONE: "b"})
    written = fields.part("profile")
    found = profiles.read(
        msgspec.convert(
            {
                "metadata": {
                    "name": written["name"],
                    "labels": written.get("labels"),
                    "annotations": written.get("annotations"),
                },
                "spec": {
                    "quotaName": f"{written['name']}-root",
                    "nodeSelector": {"matchLabels": {_ZONE: written["zone"]}},
                    "quotaLabels": written.get("quota_labels"),
                    "resourceRatio": written.get("resource_ratio"),
                },
            },
            profiles.ProfileManifest,
        )
    )
    cluster.profile(found)
    stored: dict[str, dict[str, str]] = {"labels": {}, "min": {}}
    if "existing_quota" in written:
        existing = written.part("existing_quota")
        stored = {"labels": existing.get("labels", {}), "min": existing.get("min", {})}
        # An earlier cycle left its labels; without them the quota would belong to another user.
        cluster.quota(
            Quota(
                key=Key(found.key.namespace, found.quota_name),
                uid="existing",
                created="",
                is_parent=True,
                is_root=True,
                profile=found.key.name,
                min=resources.parse(stored["min"]),
            )
        )
    (root,) = cluster.decide().roots
    yield from _as_stored(root, stored, fields.part("expected"))


def tree_id_hash(row: Row, fields: Fields) -> Iterator[Figure]:
    """The tree id of the profile ``namespace/name``."""
    namespace, _, name = fields["input"].partition("/")
    found = product.tree_id(Key(namespace, name))
    yield Figure("fnv1a64_decimal", found, fields["fnv1a64_decimal"])


def multiply_quantity(row: Row, fields: Fields) -> Iterator[Figure]:
    """An amount times a ratio, as a profile writes it."""
    resource = fields["resource"]
    spec = {"quotaName": "q", "nodeSelector": {}, "resourceRatio": str(fields["ratio"])}
    ratio = profiles.read(msgspec.convert({"spec": spec}, profiles.ProfileManifest)).ratio
    amount, expected = (
        reading.amounts({resource: fields[name]}, f"{fields.where}.{name}")[resource]
        for name in ("value", "expected")
    )
    yield Figure("product", ratio.of(amount), expected)


def _as_stored(
    root: RootQuota, stored: dict[str, dict[str, str]], expected: Fields
) -> Iterator[Figure]:
    before = {"metadata": {"labels": stored["labels"]}, "spec": {"min": stored["min"]}}
    patch = roots.patch(root, before) or {}
    labels = stored["labels"] | patch.get("metadata", {}).get("labels", {})
    after = {**stored["min"], **patch.get("spec", {}).get("min", {})}
    mins = resources.parse({key: text for key, text in after.items() if text is not None})
    yield Figure("min", mins, expected.amounts("min"))
    for name, value in expected["labels"].items():
        yield Figure(f"label {name}", labels.get(name), value)
    for field, annotation in (
        ("total_resource", names.TOTAL_RESOURCE),
        ("unschedulable_resource", names.UNSCHEDULABLE_RESOURCE),
    ):
        published = resources.parse(json.loads(root.annotations[annotation]))
        yield Figure(field, published, expected.amounts(field))
    for key, amount in root.max.items():
        limit = reading.amounts({key: expected["max_each_key"]}, f"{expected.where}.max_each_key")
        yield Figure(f"max_each_key {key}", amount, limit[key])
    yield Figure("max_each_key keys", sorted(root.max), sorted(expected.amounts("min")))


def _know(row: Row, schema: str) -> None:
    """The group's ground is written in prose: another prose is another ground."""
    if row.schema != schema:
        raise reading.ReadingError(f"the schema of group '{row.group}' describes another ground")


TABLES = {
    ("tree_totals", "vectors"): tree_totals,
    ("profile", "vectors"): profile,
    ("profile", "tree_id_hash"): tree_id_hash,
    ("profile", "multiply_quantity"): multiply_quantity,
}
