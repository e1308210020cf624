"""Claims and devices together: what a tree decides with them."""

import pytest

import devices
from devices import GPU, claim, device_class, generates, pod, shares, slice_of, template
from elasticquota import names
from elasticquota.devices.tracker import DeviceTracker
from elasticquota.model.capacity_mode import CapacityMode
from elasticquota.model.claims import ALL
from elasticquota.model.key import Key
from elasticquota.structs import replace
from worlds import World


def scene(number: int = 8) -> tuple[World, DeviceTracker]:
    world = World(nodes=2, cpu=8)
    tracker = DeviceTracker(world.ledger, devices.matches)
    tracker.pods.follow()
    for found in list(world.ledger.nodes.values()):
        tracker.nodes.upsert_node(found)
    tracker.nodes.upsert_class(device_class("gpu"))
    for name in world.ledger.nodes:
        tracker.nodes.upsert_slice(slice_of(name, number))
    tracker.flush()
    root = world.ledger.quotas[Key("system", "pool-root")]
    world.ledger.upsert_quota(
        replace(root, min={**root.min, GPU: 2 * number}, max={**root.max, GPU: 2**62})
    )
    world.quota("team", max={names.CPU: 16000, GPU: 6}, namespaces=("team",))
    return world, tracker


def test_pods_are_released_up_to_the_max_of_devices() -> None:
    world, tracker = scene()
    tracker.pods.upsert_template(template("two", ("gpu", 2)))
    for index in range(5):
        tracker.pods.upsert_pod(pod(f"p{index}", generates("two"), quota_label="team"))
    tracker.flush()
    decisions = world.decide()
    assert len(decisions.releases) == 3
    assert all(GPU in wait.message for wait in decisions.waits)


def test_a_node_has_room_for_the_devices_that_it_offers() -> None:
    world, tracker = scene(2)
    tracker.pods.upsert_template(template("three", ("gpu", 3)))
    tracker.pods.upsert_pod(pod("p", generates("three"), quota_label="team"))
    tracker.flush()
    (wait,) = world.decide().waits
    assert f"needs 3 {GPU}; the largest node of the tree offers 2" in wait.message


def test_all_follows_the_nodes() -> None:
    world, tracker = scene(4)
    tracker.pods.upsert_template(template("all", ("gpu", ALL)))
    tracker.pods.upsert_pod(pod("p", generates("all"), quota_label="team"))
    tracker.flush()
    assert world.ledger.pods[Key("team", "p")].request[GPU] == 4
    tracker.nodes.upsert_slice(slice_of("node-0", 5))
    assert tracker.flush()
    assert world.ledger.pods[Key("team", "p")].request[GPU] == 5


def test_a_pod_with_a_missing_claim_waits_and_its_line_says_what_to_do() -> None:
    world, tracker = scene()
    tracker.pods.upsert_pod(pod("p", shares("ours"), quota_label="team"))
    tracker.flush()
    (wait,) = world.decide().waits
    assert wait.stated.endswith(
        ": spec.resourceClaims[gpu]: ResourceClaim team/ours does not exist. Create it. It starts "
        "when that is corrected. [WaitingForClaim]"
    )
    tracker.pods.upsert_claim(claim("ours", ("gpu", 1)))
    tracker.flush()
    assert len(world.decide().releases) == 1


@pytest.mark.parametrize(
    "mode",
    [
        CapacityMode("Declared", total={"cpu": 8_000, GPU: 3}),
        CapacityMode("Elastic", max={"cpu": 64_000, "memory": 2**40, GPU: 3}),
    ],
)
def test_devices_that_a_profile_declares_are_in_the_total_and_limit_claims(
    mode: CapacityMode,
) -> None:
    world = World(nodes=0)
    world.capacity(mode)
    world.quota("team")
    tracker = DeviceTracker(world.ledger, devices.matches)
    tracker.pods.follow()
    tracker.nodes.upsert_class(device_class("gpu"))
    tracker.pods.upsert_template(template("two", ("gpu", 2)))
    for name in "ab":
        tracker.pods.upsert_pod(pod(name, generates("two"), quota_label="team"))
    tracker.flush()
    decisions = world.decide()
    assert [each.pod.name for each in decisions.releases] == ["a"]
    (wait,) = decisions.waits
    assert f"needs 2 {GPU}, which is within" in wait.message
