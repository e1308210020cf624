"""How many devices a claim takes."""

import devices
from devices import GPU, NIC
from elasticquota.devices import demand
from elasticquota.model.claims import ALL, ClassDemand


SOME = ClassDemand({"gpu": 8, "nic": 2}, {"gpu": "example.com/gpu"}, frozenset({"odd"}))


def test_the_counts_of_all_requests_are_added_up() -> None:
    assert demand.of_spec(devices.spec(("gpu", 2), ("gpu", 1), ("nic", 1)), SOME) == {
        "gpu": 3,
        "nic": 1,
    }


def test_all_is_the_most_that_one_node_has() -> None:
    assert demand.of_spec(devices.spec(("gpu", ALL), ("new", ALL)), SOME) == {"gpu": 8, "new": 0}


def test_of_alternatives_each_class_counts_with_its_largest_number() -> None:
    options = (("gpu", 1), ("nic", 4), ("gpu", 3), ("nic", ALL))
    assert demand.of_spec(devices.spec(options), SOME) == {"gpu": 3, "nic": 4}


def test_what_is_allocated_replaces_what_was_asked() -> None:
    asked = devices.claim("c", (("gpu", 4), ("nic", 1)), allocated={"nic": 1})
    assert demand.of_claim(asked, SOME) == {"nic": 1}


def test_devices_count_under_the_class_and_its_extended_resource() -> None:
    assert demand.resources({"gpu": 2, "nic": 1, "odd": 5}, SOME) == {
        GPU: 2,
        "example.com/gpu": 2,
        NIC: 1,
    }
