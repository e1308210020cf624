"""What roots, profiles and doctor say while a definition is not that of this version."""

import pytest

from elasticquota.decisions import decide
from elasticquota.decisions.cycle_cache import CycleCache
from elasticquota.derived import replaced_definitions
from elasticquota.model.decision import Condition, Decisions, ProfileStatus, QuotaStatus
from elasticquota.scheduling.inputs.policy import Policy
from worlds import ROOT, World


QUOTAS = "elasticquotas.scheduling.sigs.k8s.io"
PROFILES = "elasticquotaprofiles.quota.koordinator.sh"


@pytest.mark.parametrize(
    ("fields", "dropped"),
    [
        (
            ["spec.paused"],
            "spec.paused, which has no effect: labels and annotations of Koordinator count",
        ),
        (["status.pods", "status.tree"], "status.pods, status.tree, which are not published"),
        (
            ["spec.a", "spec.b", "spec.c", "spec.d", "status.pods"],
            "spec.a, spec.b, spec.c and 1 more, which have no effect: labels and annotations of "
            "Koordinator count; and status.pods, which is not published",
        ),
    ],
)
def test_settings_and_what_is_published_are_kept_apart(fields: list[str], dropped: str) -> None:
    assert replaced_definitions.text(fields) == (
        f"it is not the one of this version. The API server drops {dropped}"
    )


def of_type(decisions: Decisions, name: str) -> dict[str, Condition]:
    """The condition ``name`` by quota, and of the profile."""
    found: list[QuotaStatus | ProfileStatus] = [*decisions.statuses, *decisions.profiles]
    return {
        status.key.name: condition
        for status in found
        for condition in status.conditions
        if condition.type == name
    }


def test_every_root_and_profile_says_which_fields_are_dropped_until_they_are_not() -> None:
    world, cache = World(), CycleCache()
    world.quota("team-a")

    def decided() -> dict[str, Condition]:
        return of_type(decide.decide(world.ledger, 0, Policy(), cache), "FieldsDropped")

    assert decided() == {}
    assert world.ledger.note_lacking(QUOTAS, ("spec.paused",))
    assert world.ledger.note_lacking(PROFILES, ("status.tree",))
    found = decided()
    assert found.keys() == {ROOT, "pool"}
    assert found[ROOT] == found["pool"]
    assert (found[ROOT].status, found[ROOT].reason) == (True, "DefinitionReplaced")
    assert found[ROOT].message == (
        "CustomResourceDefinition elasticquotaprofiles.quota.koordinator.sh: it is not the one of "
        "this version. The API server drops status.tree, which is not published. "
        "CustomResourceDefinition elasticquotas.scheduling.sigs.k8s.io: it is not the one of this "
        "version. The API server drops spec.paused, which has no effect: labels and "
        "annotations of Koordinator count. Apply the definitions of this version (crds/)"
    )
    assert not world.ledger.note_lacking(QUOTAS, ("spec.paused",)), "this is no news"
    world.ledger.note_lacking(QUOTAS, ())
    world.ledger.note_lacking(PROFILES, ())
    assert decided() == {}
