"""The field ``provisioning`` of a profile."""

from typing import Any

import pytest

from elasticquota.model.fault import Fault
from elasticquota.model.provisioning_choice import ProvisioningChoice
from elasticquota.wire.quota import provisioning


def read(written: Any) -> tuple[ProvisioningChoice | None, list[str]]:
    faults: list[Fault] = []
    return provisioning.read(written, "at", faults), [*map(str, faults)]


@pytest.mark.parametrize(
    ("written", "choice"),
    [
        (None, None),
        ({}, ProvisioningChoice()),
        ({"className": ""}, ProvisioningChoice("")),
        (
            {"className": "a.example.com", "timeout": "10m"},
            ProvisioningChoice("a.example.com", 600_000),
        ),
        ({"timeout": "1s", "className": None}, ProvisioningChoice(None, 1_000)),
    ],
)
def test_what_is_written_is_chosen(written: Any, choice: ProvisioningChoice | None) -> None:
    assert read(written) == (choice, [])


@pytest.mark.parametrize(
    ("written", "fault"),
    [
        (
            {"clasName": "a"},
            "at.clasName: is no field of provisioning; did you mean className?",
        ),
        (
            {"className": "A b"},
            "at.className: must be the name of a provisioning class, or empty to ask for no nodes, "
            "got 'A b'",
        ),
        ({"timeout": 30}, "at.timeout: must be a duration like '10m', from 1s to 24h, got 30"),
        (
            {"timeout": "25h"},
            "at.timeout: must be a duration like '10m', from 1s to 24h, got '25h'",
        ),
        ({"timeout": "0"}, "at.timeout: must be a duration like '10m', from 1s to 24h, got '0'"),
    ],
)
def test_any_fault_makes_all_of_it_unusable_and_is_named(written: Any, fault: str) -> None:
    assert read(written) == (None, [fault])


@pytest.mark.parametrize("written", [[], "{", 5])
def test_what_is_no_map_is_named(written: Any) -> None:
    found, (fault,) = read(written)
    assert found is None
    assert fault.startswith("at: must be a map, got ")
