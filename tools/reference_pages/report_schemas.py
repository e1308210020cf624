"""The JSON Schemas of what verbs report with ``-o json``: ``docs/*.schema.json``."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from elasticquota_cli.doctor import report as doctor
from elasticquota_cli.overview import report as overview
from elasticquota_cli.plan import report as plan
from elasticquota_cli.printers import json_text
from elasticquota_cli.simulate import report as simulate
from elasticquota_cli.why.parts import report as why
from reference_pages.sources import ROOT


FOLDER: Final = ROOT / "docs"
REPORTS: Final[Mapping[str, tuple[str, Any]]] = {
    "doctor": (doctor.API_VERSION, doctor.Report),
    "overview": (overview.API_VERSION, overview.Report),
    "plan": (plan.API_VERSION, plan.Plan),
    "simulate": (simulate.API_VERSION, simulate.Report),
    "why": (why.API_VERSION, why.WhyAnswer),
}
"""By the name of the file, the API version and the classes."""


def files() -> dict[str, str]:
    """What each file of ``docs`` holds, by its name."""
    return {f"{name}.schema.json": _schema(*report) for name, report in REPORTS.items()}


def _schema(title: str, report: Any) -> str:
    whole = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        **msgspec.json.schema(report),
    }
    return json_text.of(whole) + "\n"
