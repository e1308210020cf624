"""The page of metrics lists what both processes expose, and nothing else."""

import re
from pathlib import Path

from elasticquota.model.decision import Decisions
from elasticquota_operator.pages.metrics import Telemetry
from elasticquota_webhooks.reviews.metrics import Metrics


PAGE = Path(__file__).parents[2] / "docs/reference/metrics.md"
TYPE = re.compile(r"^# TYPE (\w+) (\w+)$", re.MULTILINE)
ROW = re.compile(r"^\| `(\w+)` \| (\w+) \|", re.MULTILINE)
OF_THE_MANAGER = {
    ("elasticquota_webhook_certificate_changes_total", "counter"),
    ("elasticquota_webhook_certificate_problem", "gauge"),
}
"""Registered where the webhook starts (``certificates.manager``)."""


def exposed(text: bytes) -> set[tuple[str, str]]:
    """Name and kind of each family, but for the times at which counters were made."""
    found = TYPE.findall(text.decode())
    return {(name, kind) for name, kind in found if not name.endswith("_created")}


def listed(process: str) -> set[tuple[str, str]]:
    sections = PAGE.read_text(encoding="utf-8").split("## Of the ")
    (section,) = (each for each in sections if each.startswith(process))
    # An info is a gauge in the text format.
    return {(name, "gauge" if kind == "info" else kind) for name, kind in ROW.findall(section)}


def test_the_page_lists_the_families_of_the_controller_and_no_others() -> None:
    telemetry = Telemetry(lambda: True, for_koordinator=True)
    telemetry.decided(Decisions(), 0.01)
    assert listed("controller") == exposed(telemetry.exposition())


def test_the_page_lists_the_families_of_the_webhook_and_no_others() -> None:
    assert listed("webhook") == exposed(Metrics().text()) | OF_THE_MANAGER
