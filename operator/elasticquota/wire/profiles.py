"""ElasticQuotaProfile manifest -> Profile (K 1.1, K 3)."""

import re

import msgspec

from elasticquota import names
from elasticquota.model.profile import WHOLE, Profile, Ratio
from elasticquota.model.selector import Requirement, Selector
from elasticquota.wire import amounts, selectors
from elasticquota.wire.metadata import ObjectMeta


_RATIO = re.compile(r"(0|1)(?:\.([0-9]{1,12}))?", re.ASCII)
# A selector that could not be read must not select every node, as an empty one would.
_NOTHING = Selector((Requirement("", "In", ()),))


class ProfileSpec(msgspec.Struct, rename="camel", gc=False):
    quota_name: str = ""
    node_selector: selectors.SelectorManifest | None = None
    quota_labels: dict[str, str] | None = None
    resource_ratio: str | None = None


class ProfileManifest(msgspec.Struct, gc=False):
    metadata: ObjectMeta = msgspec.field(default_factory=ObjectMeta)
    spec: ProfileSpec | None = None


def read(manifest: ProfileManifest) -> Profile:
    """The profile as written; a missing or broken selector selects no node."""
    meta = manifest.metadata
    spec = manifest.spec or ProfileSpec()
    faults: list[str] = []
    if not spec.quota_name:
        faults.append("spec.quotaName: must name the root quota of the tree")
    selector = _NOTHING
    if spec.node_selector is None:
        faults.append("spec.nodeSelector: must be given; {} selects every node")
    else:
        before = len(faults)
        found = selectors.read(spec.node_selector, "spec.nodeSelector", faults)
        if len(faults) == before:
            selector = found
    where = f"metadata.annotations[{names.RESOURCE_KEYS}]"
    return Profile(
        key=meta.key,
        uid=meta.uid,
        created=meta.created,
        quota_name=spec.quota_name,
        selector=selector,
        quota_labels=spec.quota_labels or {},
        ratio=_ratio(spec.resource_ratio, faults),
        resource_keys=amounts.read_names(meta.annotation(names.RESOURCE_KEYS), where, faults),
        tree_id=meta.label(names.TREE_ID),
        generation=meta.generation,
        faults=tuple(faults),
    )


def _ratio(text: str | None, faults: list[str]) -> Ratio:
    """The exact decimal; anything outside (0, 1] counts as 1 and is reported."""
    if text is None:
        return WHOLE
    match = _RATIO.fullmatch(text)
    if match:
        decimals = match[2] or ""
        ratio = Ratio(int(match[1] + decimals), 10 ** len(decimals))
        if 0 < ratio.numerator <= ratio.denominator:
            return ratio
    faults.append(
        "spec.resourceRatio: must be a decimal greater than 0 and at most 1 with at most 12 "
        f"digits, got {amounts.shown(text)}; 1 is used"
    )
    return WHOLE
