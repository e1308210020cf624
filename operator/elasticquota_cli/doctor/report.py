"""The report for programs: ``doctor.elasticquota.dev/v1``, as described in docs/doctor.md.

Within v1 fields are added, never renamed, removed or given another meaning; texts may change.
docs/doctor.schema.json is made from these classes.
"""

from typing import Final, Literal

import msgspec

from elasticquota_cli import json_text
from elasticquota_cli.doctor.diagnosis import Diagnosis
from elasticquota_cli.doctor.finding import Level


API_VERSION: Final = "doctor.elasticquota.dev/v1"


class Finding(msgspec.Struct, rename="camel"):
    level: Level
    object: str
    message: str
    remedy: str
    namespaces: list[str]
    """The namespaces that it concerns; empty: all."""


class Report(msgspec.Struct, rename="camel", tag_field="kind", tag="Diagnosis"):
    """What is wrong, worst first."""

    api_version: Literal["doctor.elasticquota.dev/v1"]
    findings: list[Finding]
    notes: list[str]
    """What was not checked, or not understood."""


def of(found: Diagnosis, notes: tuple[str, ...]) -> Report:
    """Build the report from a diagnosis and the notes of reading."""
    return Report(
        API_VERSION,
        [
            Finding(each.level, each.object, each.message, each.remedy, list(each.namespaces))
            for each in found.findings
        ],
        [*notes, *found.unlooked],
    )


def schema() -> str:
    """The JSON Schema in docs/doctor.schema.json."""
    return json_text.schema(Report, API_VERSION)
