"""What the rules say of a manifest by itself, and of what each rule of the schema refuses."""

from typing import Final, NamedTuple

import msgspec

from elasticquota.forest import acceptance
from elasticquota.validation import chains
from elasticquota.validation.change import Change
from elasticquota.validation.profile_change import ProfileChange
from elasticquota.wire.quota import profiles, quotas
from elasticquota_api import ElasticQuota
from elasticquota_api.model import KubernetesObject
from good_manifests import Document
from schema_rules import Case


_OTHERWISE_COUNTED: Final = tuple(
    f"spec.{field}" for field in ("parent", "namespaces", "weight", "queue", "reclaim", "tree")
)
"""Of a quota: what cannot be read there has a meaning all the same, so the rules warn."""


class Verdict(NamedTuple):
    """Codes of rules."""

    refused: frozenset[str] = frozenset()
    warned: frozenset[str] = frozenset()


TAKEN: Final = Verdict()


def of(kind: type[KubernetesObject], manifest: Document) -> Verdict:
    """The rules about the object by itself, at its creation."""
    whole = {**manifest, "metadata": {"name": "tried", "namespace": "default"}}
    nothing = acceptance.build(())
    if kind is ElasticQuota:
        quota = quotas.read(msgspec.convert(whole, quotas.QuotaManifest))
        found = chains.judge(Change(None, quota), nothing, stages=[chains.SHAPE])
    else:
        profile = profiles.read(msgspec.convert(whole, profiles.ProfileManifest))
        found = chains.judge_profile(ProfileChange(None, profile), nothing)
    return Verdict(
        frozenset(each.code for each in found.refused),
        frozenset(each.code for each in found.warned),
    )


def expected(case: Case) -> Verdict:
    """What the rules say at least: they refuse what the schema refuses, but for what is here."""
    if case.rule == "maxLength 32":
        return TAKEN  # a duration in a long form can be read
    if case.kind is not ElasticQuota:
        return Verdict(frozenset({"EP1201"}))
    if case.place.startswith(_OTHERWISE_COUNTED):
        return Verdict(warned=frozenset({"EQ1001"}))
    return Verdict(frozenset({"EQ1002" if "[EQ1002]" in case.rule else "EQ1001"}))


def says(found: Verdict, wanted: Verdict) -> bool:
    """Whether it is so; one wrong amount may be wrong beside others too (EQ1002, EQ1003)."""
    return wanted.refused <= found.refused and (
        bool(wanted.refused) or (found.refused, found.warned) == wanted
    )
