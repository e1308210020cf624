"""What external pods hold is subtracted exactly as it was added."""

import pytest

from elasticquota import names
from elasticquota.ledger.pods.external_usage import ExternalUsage
from elasticquota.ledger.pods.usage import CountedAs
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.structs import replace


POD = Pod(Key("wild", "a"), "uid-a", "2026-01-01", request={"cpu": 1_000})
STAYS = CountedAs("team-a", running=True, external_to=("42",))


def usage(*found: tuple[Pod, CountedAs]) -> ExternalUsage:
    usage = ExternalUsage()
    for pod, counted_as in found:
        usage.add(pod, counted_as)
    return usage


def test_what_a_leaving_external_pod_holds_is_returning_until_it_is_gone() -> None:
    leaving = STAYS._replace(leaving=True)
    found = usage((POD, leaving))
    assert found.held == found.reclaimable == found.returning == {"cpu": 1_000}
    assert found.evictable == {POD.key: (POD, "team-a")}
    found.remove(POD, leaving)
    assert found.held == found.reclaimable == found.returning == {}
    assert found.evictable == {}


def test_what_an_external_pod_that_stays_holds_is_not_returning() -> None:
    other = replace(POD, key=Key("wild", "b"), request={"cpu": 500})
    leaving = STAYS._replace(leaving=True)
    found = usage((POD, STAYS), (other, leaving))
    assert found.returning == {"cpu": 500}
    found.remove(POD, STAYS)
    assert (found.held, found.reclaimable) == ({"cpu": 500}, {"cpu": 500})
    assert found.returning == {"cpu": 500}


@pytest.mark.parametrize(
    ("pod", "counted_as"),
    [
        (replace(POD, mirror=True), STAYS),
        (replace(POD, daemon=True), STAYS),
        (POD, STAYS._replace(in_own_tree=True)),
        (POD, STAYS._replace(quota=names.SYSTEM_QUOTA)),
    ],
)
def test_pods_that_belong_to_the_node_are_held_and_not_evictable(
    pod: Pod, counted_as: CountedAs
) -> None:
    found = usage((pod, counted_as._replace(leaving=True)))
    assert found.held == {"cpu": 1_000}
    assert found.evictable == {}
    assert found.reclaimable == found.returning == {}
    found.remove(pod, counted_as._replace(leaving=True))
    assert found.held == {}
