"""Prints a plan for a terminal: the summary, then its tables."""

from elasticquota_cli.plan import report, sections
from elasticquota_cli.printers import table


def show(plan: report.Plan) -> None:
    """Print the plan to standard output."""
    bad = plan.refused or plan.evicted
    table.line(plan.summary, "bad" if bad else "plain")
    for title, head, rows in sections.of(plan):
        table.section(f"{title.upper()} ({len(rows)})", head, rows, sections.MOST)
