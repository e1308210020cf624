"""ElasticQuotaProfile manifest -> Profile (K 1.1, K 3)."""

import re
from typing import Final

from elasticquota import names
from elasticquota.model.capacity_mode import NODES
from elasticquota.model.fault import Fault
from elasticquota.model.profile import WHOLE, Profile, Ratio
from elasticquota.model.selector import Requirement, Selector
from elasticquota.wire.codec import amounts, fields, selectors
from elasticquota.wire.codec.metadata import SpecManifest
from elasticquota.wire.quota import equal_keys, provisioning, tree_settings


_RATIO: Final = re.compile(r"(?=.{1,16}\Z)([0-9]*)(?:\.([0-9]+))?", re.ASCII)
_QUOTA_NAME: Final = re.compile(r"[a-z0-9](?:[-a-z0-9.]{0,61}[a-z0-9])?")
_NAMED: Final = (
    "name the root quota of the tree, with at most 63 lower case letters, digits, '-' and '.'"
)
# An unreadable selector must not select every node, as an empty selector would.
_NOTHING: Final = Selector((Requirement("", "In", ()),))


class ProfileManifest(SpecManifest, gc=False):
    """``spec`` may have any shape: it may have been stored under another schema than ours."""


def read(manifest: ProfileManifest) -> Profile:
    """Return the profile as written; a missing or invalid selector selects no node."""
    meta = manifest.metadata
    faults: list[Fault] = []
    spec = fields.mapping(manifest.spec, "spec", faults)
    quota_name = fields.matching(
        spec.get("quotaName"), _QUOTA_NAME, "spec.quotaName", _NAMED, faults
    )
    selector = _selector(spec.get("nodeSelector"), faults)
    labels = fields.labels(spec.get("quotaLabels"), "spec.quotaLabels", faults, selectors.MOST)
    ratio = _ratio(spec.get("resourceRatio"), faults)
    keys = equal_keys.of(meta)
    different = equal_keys.differences(keys, spec, equal_keys.PROFILE)
    annotations = equal_keys.counting(keys, different).annotations
    faults += equal_keys.doubts(spec, equal_keys.PROFILE)
    where = f"metadata.annotations[{names.RESOURCE_KEYS}]"
    tree = tree_settings.read(spec, "spec", faults)
    return Profile(
        key=meta.key,
        uid=meta.uid,
        created=meta.created,
        quota_name=quota_name or "",
        selector=selector,
        selects_unknown=selector is _NOTHING,
        quota_labels=labels,
        ratio=ratio,
        resource_keys=amounts.read_names(annotations.get(names.RESOURCE_KEYS, ""), where, faults),
        tree_id=meta.label(names.TREE_ID),
        guarantee_usage=tree.guarantee_usage,
        observes=tree.observes,
        capacity=tree.capacity or NODES,
        capacity_unknown=tree.capacity_unreadable,
        pools=tree.pools,
        pools_unreadable=tree.pools_unreadable,
        provisioning=provisioning.read(spec.get("provisioning"), "spec.provisioning", faults),
        differences=different,
        generation=meta.generation,
        faults=tuple(faults),
    )


def _selector(value: object, faults: list[Fault]) -> Selector:
    if value is None:
        faults.append(Fault("spec.nodeSelector", "must be given; {} selects every node"))
        return _NOTHING
    before = len(faults)
    found = selectors.read(value, "spec.nodeSelector", faults)
    return found if len(faults) == before else _NOTHING


def _ratio(value: object, faults: list[Fault]) -> Ratio:
    """The exact decimal; anything outside (0, 1] counts as 1 and is reported."""
    if value is None:
        return WHOLE
    match = _RATIO.fullmatch(value) if isinstance(value, str) else None
    if match:
        decimals = match[2] or ""
        ratio = Ratio(int(match[1] + decimals), 10 ** len(decimals))
        if 0 < ratio.numerator <= ratio.denominator:
            return ratio
    faults.append(
        Fault(
            "spec.resourceRatio",
            "must be a decimal greater than 0 and at most 1, in quotes and of at most 16 "
            f"characters, got {fields.shown(value)}; 1 is used",
        )
    )
    return WHOLE
