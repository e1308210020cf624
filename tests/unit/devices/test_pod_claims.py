"""Devices of claims in the requests of pods; a shared claim counts once."""

import pytest

import devices
from devices import GPU, NIC, claim, generates, pod, shares, template
from elasticquota import names
from elasticquota.devices import keys
from elasticquota.devices.pod_claims import PodClaims
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.claims import ClaimingPod, ClaimReference, ClassDemand
from elasticquota.model.fault import Fault
from elasticquota.model.group import Group
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.structs import replace


KNOWN = frozenset({"gpu", "nic"})
EXTENDED = ClassDemand(known=KNOWN, extended={"gpu": "example.com/gpu"})


@pytest.fixture
def tracked() -> PodClaims:
    found = PodClaims(Ledger())
    found.set_classes(ClassDemand(known=KNOWN))
    found.follow()
    return found


def counted(tracked: PodClaims, name: str, key: str = GPU) -> int:
    tracked.flush()
    return tracked._ledger.pods[Key("team", name)].request.get(key, 0)


def obstacle(tracked: PodClaims, name: str) -> str:
    tracked.flush()
    found = tracked._ledger.pods[Key("team", name)]
    assert isinstance(found, ClaimingPod)
    return found.obstacle


def test_a_pod_asks_for_the_devices_of_its_claim_beside_its_own_resources(
    tracked: PodClaims,
) -> None:
    tracked.upsert_claim(claim("mine", ("gpu", 2)))
    tracked.upsert_pod(pod("a", shares("mine")))
    tracked.flush()
    found = tracked._ledger.pods[Key("team", "a")]
    assert found.request == {names.CPU: 1000, names.PODS: 1, GPU: 2}
    assert tracked.pod(Key("team", "a")) == pod("a", shares("mine"))


def test_a_template_counts_until_the_claim_is_generated(tracked: PodClaims) -> None:
    tracked.upsert_template(template("t", ("gpu", 2)))
    tracked.upsert_pod(pod("a", generates("t")))
    tracked.upsert_pod(pod("b", generates("t")))
    assert (counted(tracked, "a"), counted(tracked, "b")) == (2, 2)
    tracked.upsert_claim(claim("a-x", ("gpu", 2), owner="a", allocated={"gpu": 1}))
    tracked.upsert_pod(pod("a", generates("t", "a-x"), gated=False))
    assert (counted(tracked, "a"), counted(tracked, "b")) == (1, 2)


def test_a_claim_that_was_generated_for_another_pod_does_not_count(tracked: PodClaims) -> None:
    tracked.upsert_claim(claim("a-x", ("gpu", 2), owner="other"))
    tracked.upsert_pod(pod("a", generates("t", "a-x")))
    assert counted(tracked, "a") == 0
    assert obstacle(tracked, "a") == (
        "spec.resourceClaims[gpu]: ResourceClaim team/a-x was not made for this pod. Delete the pod"
    )


def test_a_pod_that_only_states_the_claim_of_another_does_not_carry_it(
    tracked: PodClaims,
) -> None:
    tracked.upsert_claim(claim("b-x", ("gpu", 2), owner="b"))
    tracked.upsert_pod(pod("a", generates("t", "b-x"), gated=False))
    tracked.upsert_pod(pod("b", generates("t", "b-x"), gated=False))
    assert [counted(tracked, name) for name in "ab"] == [0, 2]


def test_an_entry_for_which_no_claim_is_needed_counts_nothing(tracked: PodClaims) -> None:
    tracked.upsert_pod(pod("a", ClaimReference("gpu", template="t", skipped=True)))
    assert (counted(tracked, "a"), obstacle(tracked, "a")) == (0, "")


@pytest.mark.parametrize(
    ("reference", "what"),
    [(shares("gone"), "ResourceClaim"), (generates("gone"), "ResourceClaimTemplate")],
)
def test_what_is_missing_holds_the_pod_until_it_appears(
    tracked: PodClaims, reference: ClaimReference, what: str
) -> None:
    tracked.upsert_pod(pod("a", reference))
    line = f"spec.resourceClaims[gpu]: {what} team/gone does not exist. Create it"
    assert obstacle(tracked, "a") == line
    assert tuple(map(str, tracked._ledger.pods[Key("team", "a")].faults)) == (line,)
    tracked.upsert_claim(claim("gone", ("gpu", 1)))
    tracked.upsert_template(template("gone", ("gpu", 1)))
    assert (counted(tracked, "a"), obstacle(tracked, "a")) == (1, "")
    assert tracked._ledger.pods[Key("team", "a")].faults == ()
    tracked.delete_claim(Key("team", "gone"))
    tracked.delete_template(Key("team", "gone"))
    assert obstacle(tracked, "a") == line


def test_a_claim_that_cannot_be_read_holds_the_pod_with_its_first_line(tracked: PodClaims) -> None:
    bad = claim("bad", ("gpu", 1))
    tracked.upsert_claim(
        replace(bad, spec=replace(bad.spec, faults=(Fault("x", "bad"), Fault("y", "bad"))))
    )
    tracked.upsert_pod(pod("a", shares("bad")))
    assert obstacle(tracked, "a") == "spec.resourceClaims[gpu]: x: bad"


def test_before_all_claims_are_known_none_counts_and_none_is_missing() -> None:
    tracked = PodClaims(Ledger())
    tracked.upsert_pod(pod("a", shares("gone")))
    tracked.upsert_claim(claim("mine", ("gpu", 1)))
    tracked.upsert_pod(pod("b", shares("mine")))
    assert (obstacle(tracked, "a"), counted(tracked, "b")) == ("", 0)
    tracked.follow()
    assert (obstacle(tracked, "a") != "", counted(tracked, "b")) == (True, 1)


def test_a_shared_claim_counts_in_the_pod_that_came_first(tracked: PodClaims) -> None:
    tracked.upsert_claim(claim("ours", ("gpu", 4)))
    for name in ("c", "a", "b"):
        tracked.upsert_pod(pod(name, shares("ours"), gated=False))
    assert [counted(tracked, name) for name in "abc"] == [4, 0, 0]
    tracked.delete_pod(Key("team", "a"))
    assert [counted(tracked, name) for name in "bc"] == [4, 0]


def test_the_pod_that_carries_a_claim_for_others_is_evicted_last(tracked: PodClaims) -> None:
    tracked.upsert_claim(claim("ours", ("gpu", 4)))
    for name in "ab":
        tracked.upsert_pod(pod(name, shares("ours"), gated=False))
    tracked.flush()
    pods = tracked._ledger.pods
    assert [pods[Key("team", name)].evict_last for name in "ab"] == [True, False]
    tracked.delete_pod(Key("team", "a"))
    tracked.flush()
    assert not pods[Key("team", "b")].evict_last


def test_of_the_pods_of_a_claim_an_admitted_one_carries_it(tracked: PodClaims) -> None:
    tracked.upsert_claim(claim("ours", ("gpu", 4)))
    tracked.upsert_pod(pod("a", shares("ours")))
    tracked.upsert_pod(pod("b", shares("ours"), gated=False))
    assert (counted(tracked, "a"), obstacle(tracked, "a")) == (0, "")
    assert counted(tracked, "b") == 4


def test_a_pod_cannot_start_with_the_devices_that_a_waiting_pod_asks_for(
    tracked: PodClaims,
) -> None:
    tracked.upsert_claim(claim("ours", ("gpu", 4)))
    tracked.upsert_pod(pod("a", shares("ours")))
    tracked.upsert_pod(pod("b", shares("ours")))
    assert obstacle(tracked, "b") == (
        "spec.resourceClaims[gpu]: ResourceClaim team/ours counts in pod team/a, which waits"
    )
    tracked.upsert_pod(pod("a", shares("ours"), gated=False))
    assert (obstacle(tracked, "b"), counted(tracked, "b")) == ("", 0)


def test_the_pods_of_a_group_share_a_claim_without_waiting_for_each_other(
    tracked: PodClaims,
) -> None:
    tracked.upsert_claim(claim("ours", ("gpu", 4)))
    for name in "ab":
        tracked.upsert_pod(pod(name, shares("ours"), group=Group("train", 2)))
    assert [counted(tracked, name) for name in "ab"] == [4, 0]
    assert [obstacle(tracked, name) for name in "ab"] == ["", ""]


def test_two_entries_of_one_claim_count_once(tracked: PodClaims) -> None:
    tracked.upsert_claim(claim("mine", ("gpu", 2)))
    second = ClaimReference("again", claim="mine")
    tracked.upsert_pod(pod("a", shares("mine"), second))
    assert counted(tracked, "a") == 2


def test_a_container_may_ask_for_devices_of_a_class_like_an_extended_resource(
    tracked: PodClaims,
) -> None:
    implicit = f"{keys.IMPLICIT}gpu"
    tracked.set_classes(EXTENDED)
    tracked.upsert_pod(Pod(Key("team", "a"), "a", "a", request={implicit: 2, "example.com/gpu": 1}))
    assert counted(tracked, "a") == 3
    assert counted(tracked, "a", "example.com/gpu") == 3
    assert counted(tracked, "a", implicit) == 0


def test_an_extended_resource_counts_for_the_class_that_serves_it(tracked: PodClaims) -> None:
    plain = Pod(Key("team", "a"), "a", "a", request={"example.com/gpu": 2})
    tracked.upsert_pod(plain)
    assert counted(tracked, "a") == 0
    tracked.set_classes(EXTENDED)
    assert counted(tracked, "a") == 2
    assert counted(tracked, "a", "example.com/gpu") == 2
    assert tracked.pod(plain.key) == plain
    tracked.set_classes(ClassDemand(known=KNOWN))
    assert counted(tracked, "a") == 0


def test_a_device_plugin_serves_an_extended_resource_without_devices(tracked: PodClaims) -> None:
    served = {"example.com/gpu": frozenset({"old"})}
    tracked.set_classes(replace(EXTENDED, served=served))
    ask = {"example.com/gpu": 1}
    tracked.upsert_pod(Pod(Key("team", "a"), "a", "a", request=ask))
    tracked.upsert_pod(Pod(Key("team", "b"), "b", "b", request=ask, node_name="old"))
    tracked.upsert_pod(Pod(Key("team", "c"), "c", "c", request=ask, node_name="new"))
    assert [counted(tracked, name) for name in "abc"] == [0, 0, 1]
    assert [counted(tracked, name, "example.com/gpu") for name in "abc"] == [1, 1, 1]


def test_devices_of_a_class_that_cannot_be_counted_are_left_out_under_every_name(
    tracked: PodClaims,
) -> None:
    tracked.set_classes(replace(EXTENDED, uncounted=frozenset({"gpu"})))
    tracked.upsert_claim(claim("mine", ("gpu", 2), ("nic", 1)))
    tracked.upsert_pod(pod("a", shares("mine"), request={f"{keys.IMPLICIT}gpu": 1}))
    tracked.upsert_pod(pod("b", request={"example.com/gpu": 1}))
    tracked.flush()
    assert tracked._ledger.pods[Key("team", "a")].request == {NIC: 1}
    assert tracked._ledger.pods[Key("team", "b")].request == {}


def test_pods_without_claims_are_stored_at_once_and_unchanged(tracked: PodClaims) -> None:
    plain = Pod(Key("team", "a"), "a", "a", request={"cpu": 1})
    tracked.upsert_pod(plain)
    assert tracked._ledger.pods[plain.key] is plain
    assert not tracked.flush()


def test_a_pod_of_the_same_name_without_claims_takes_nothing_over(tracked: PodClaims) -> None:
    tracked.upsert_claim(claim("ours", ("gpu", 4)))
    tracked.upsert_pod(pod("a", shares("ours")))
    tracked.upsert_pod(pod("b", shares("ours")))
    tracked.flush()
    tracked.upsert_pod(Pod(Key("team", "a"), "new", "z", request={"cpu": 1}))
    assert (counted(tracked, "a"), counted(tracked, "b")) == (0, 4)


def test_a_value_that_is_no_news_changes_nothing(tracked: PodClaims) -> None:
    tracked.upsert_claim(claim("ours", ("gpu", 4)))
    tracked.upsert_pod(pod("a", shares("ours")))
    assert tracked.flush()
    tracked.upsert_claim(claim("ours", ("gpu", 4)))
    assert not tracked.flush()
    assert devices.GPU in tracked._ledger.pods[Key("team", "a")].request


@pytest.mark.parametrize("by_template", [True, False])
def test_a_waiting_pod_waits_for_a_class_that_does_not_exist(
    tracked: PodClaims, by_template: bool
) -> None:
    requests = (("gpu", 1), (("nic", 1), ("gpus", 2)))
    reference = generates("t") if by_template else shares("c")
    tracked.upsert_template(template("t", *requests))
    tracked.upsert_claim(claim("c", *requests))
    tracked.upsert_pod(pod("a", reference))
    whose = "ResourceClaimTemplate team/t" if by_template else "ResourceClaim team/c"
    assert obstacle(tracked, "a") == (
        f"spec.resourceClaims[gpu]: DeviceClass gpus does not exist. Create it, or correct {whose}"
    )
    tracked.set_classes(ClassDemand(known=KNOWN | {"gpus"}))
    assert obstacle(tracked, "a") == ""


def test_an_allocated_claim_needs_its_class_no_longer(tracked: PodClaims) -> None:
    tracked.upsert_claim(claim("c", ("gone", 1), allocated={"gone": 1}))
    tracked.upsert_pod(pod("a", shares("c")))
    assert obstacle(tracked, "a") == ""


def test_claims_of_one_name_in_two_namespaces_are_two(tracked: PodClaims) -> None:
    tracked.upsert_claim(claim("c", ("gpu", 2)))
    tracked.upsert_claim(replace(claim("c", ("gpu", 3)), key=Key("other", "c")))
    tracked.upsert_pod(pod("a", shares("c")))
    tracked.upsert_pod(replace(pod("b", shares("c")), key=Key("other", "b")))
    assert counted(tracked, "a") == 2
    assert tracked._ledger.pods[Key("other", "b")].request[GPU] == 3


def test_a_claim_of_pods_of_two_quotas_counts_in_the_quota_of_the_first(
    tracked: PodClaims,
) -> None:
    tracked.upsert_claim(claim("c", ("gpu", 2)))
    tracked.upsert_pod(pod("a", shares("c"), gated=False, quota_label="one"))
    tracked.upsert_pod(pod("b", shares("c"), quota_label="two"))
    assert (counted(tracked, "a"), counted(tracked, "b")) == (2, 0)
    tracked.delete_pod(Key("team", "a"))
    assert counted(tracked, "b") == 2
