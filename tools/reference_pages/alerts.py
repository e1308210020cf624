"""The alerts of the chart, and their table in the runbooks.

Each has a section in docs/runbooks/README.md by its name. No alert fires because one replica
restarts.
"""

from typing import Final, NamedTuple

import yaml

from reference_pages.sources import ROOT
from reference_pages.tables import MARK, inserted, table


RULES: Final = ROOT / "charts/elastic-quota-operator/files/alerts/elastic-quota.yaml"
PAGE: Final = ROOT / "docs/runbooks/README.md"


class Alert(NamedTuple):
    """An alert as users know it."""

    name: str
    expression: str
    lasts: str
    """For how long the expression must hold before it fires."""
    severity: str
    """critical: quotas do not work now; warning: they do not work as the administrator meant."""
    runbook: str
    """Where to read what to do; ``RUNBOOKS/`` is replaced by the chart."""


def _read() -> tuple[Alert, ...]:
    (group,) = yaml.safe_load(RULES.read_text(encoding="utf-8"))["groups"]
    return tuple(
        Alert(
            each["alert"],
            each["expr"],
            each["for"],
            each["labels"]["severity"],
            each["annotations"]["runbook_url"],
        )
        for each in group["rules"]
    )


ALERTS: Final = _read()


def written(page: str) -> str:
    """``page``, which has all runbooks, with its table written again."""
    rows = ((f"[{each.name}](#{each.name.lower()})", each.severity, each.lasts) for each in ALERTS)
    return inserted(page, MARK, table(("alert", "severity", "for"), rows))
