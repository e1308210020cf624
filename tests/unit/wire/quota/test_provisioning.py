"""Annotation ``elasticquota.dev/provisioning`` of a profile."""

import pytest

from elasticquota.model.provisioning_choice import ProvisioningChoice
from elasticquota.wire.quota import provisioning


def read(text: str) -> tuple[ProvisioningChoice | None, list[str]]:
    faults: list[str] = []
    return provisioning.read_json(text, "at", faults), faults


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        ("", None),
        ("{}", ProvisioningChoice()),
        ('{"className": ""}', ProvisioningChoice("")),
        (
            '{"className": "a.example.com", "timeout": "10m"}',
            ProvisioningChoice("a.example.com", 600_000),
        ),
        ('{"timeout": "1s", "className": null}', ProvisioningChoice(None, 1_000)),
    ],
)
def test_what_is_written_is_chosen(text: str, choice: ProvisioningChoice | None) -> None:
    assert read(text) == (choice, [])


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (
            '{"clasName": "a"}',
            "at.clasName: is not known; did you mean className?",
        ),
        (
            '{"className": "A b"}',
            "at.className: must be the name of a provisioning class, or empty to ask for no nodes, "
            "got 'A b'",
        ),
        ('{"timeout": 30}', "at.timeout: must be a duration like '10m', from 1s to 24h, got 30"),
        (
            '{"timeout": "25h"}',
            "at.timeout: must be a duration like '10m', from 1s to 24h, got '25h'",
        ),
        ('{"timeout": "0"}', "at.timeout: must be a duration like '10m', from 1s to 24h, got '0'"),
    ],
)
def test_any_fault_makes_all_of_it_unusable_and_is_named(text: str, fault: str) -> None:
    assert read(text) == (None, [fault])


@pytest.mark.parametrize("text", ["[]", "{", '"x"'])
def test_what_is_no_map_is_named_with_an_example(text: str) -> None:
    found, (fault,) = read(text)
    assert found is None
    assert fault.startswith("at: ")
