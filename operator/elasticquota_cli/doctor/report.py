"""The report for programs: ``doctor.elasticquota.dev/v1``, as described in docs/doctor.md.

Rules return its findings. Within v1 fields are added, never renamed, removed or given another
meaning; texts may change. docs/doctor.schema.json is made from these classes.
"""

from typing import Final, Literal

import msgspec


API_VERSION: Final = "doctor.elasticquota.dev/v1"

Level = Literal["error", "warning", "info"]
"""error: something does not work; warning: probably not intended; info: good to know."""


class Finding(msgspec.Struct, rename="camel", frozen=True):
    level: Level
    object: str
    message: str
    remedy: str
    namespaces: tuple[str, ...]
    """The namespaces that it concerns; empty: all."""

    def concerns(self, namespace: str) -> bool:
        """Whether the finding is about this namespace or about all."""
        return not self.namespaces or namespace in self.namespaces


class Report(msgspec.Struct, rename="camel", tag_field="kind", tag="Diagnosis"):
    """What is wrong, worst first."""

    api_version: Literal["doctor.elasticquota.dev/v1"]
    findings: list[Finding]
    notes: list[str]
    """What was not checked, or not understood."""
