"""Reading an ElasticQuotaProfile."""

from typing import Any

import msgspec
import pytest

from elasticquota.model.profile import WHOLE, Profile, Ratio
from elasticquota.wire.quota import profiles


def read(**spec: Any) -> Profile:
    manifest = {
        "metadata": {"name": "pool", "namespace": "system"},
        "spec": {"quotaName": "pool-root", "nodeSelector": {}, **spec},
    }
    return profiles.read(msgspec.convert(manifest, profiles.ProfileManifest))


def test_an_empty_selector_selects_every_node() -> None:
    assert read().selector.matches({"any": "node"})


def test_a_selector_that_cannot_be_read_is_known_to_be_unknown() -> None:
    assert read(nodeSelector={"matchLabels": "pool"}).selects_unknown
    assert not read(nodeSelector={"matchLabels": {"pool": "a"}}).selects_unknown


def test_a_profile_may_say_or_leave_open_whether_use_is_guaranteed() -> None:
    for said in (True, False, None):
        assert read(guaranteeUsage=said).guarantee_usage is said


def test_labels_and_expressions_must_all_hold() -> None:
    selector = read(
        nodeSelector={
            "matchLabels": {"pool": "gpu"},
            "matchExpressions": [
                {"key": "zone", "operator": "In", "values": ["b", "a"]},
                {"key": "spot", "operator": "DoesNotExist"},
            ],
        }
    ).selector
    assert selector.matches({"pool": "gpu", "zone": "a"})
    assert not selector.matches({"pool": "gpu", "zone": "c"})
    assert not selector.matches({"pool": "gpu", "zone": "a", "spot": ""})


@pytest.mark.parametrize(
    ("text", "ratio"),
    [
        *(("0.9", Ratio(9, 10)), ("1", Ratio(1, 1)), ("0.125", Ratio(125, 1000))),
        *((".5", Ratio(5, 10)), ("00.50", Ratio(50, 100)), ("01", Ratio(1, 1))),
    ],
)
def test_every_ratio_that_the_schema_permits_is_exact(text: str, ratio: Ratio) -> None:
    profile = read(resourceRatio=text)
    assert (profile.ratio, profile.faults) == (ratio, ())


@pytest.mark.parametrize("text", ["0", "0.0", "1.1", "-0.5", "9e-1", "half", "", "0.9 ", "٠.٩"])
def test_a_ratio_outside_its_range_counts_as_whole_and_is_reported(text: str) -> None:
    profile = read(resourceRatio=text)
    assert profile.ratio == WHOLE
    (fault,) = map(str, profile.faults)
    assert fault.startswith("spec.resourceRatio: must be a decimal greater than 0 and at most 1")
