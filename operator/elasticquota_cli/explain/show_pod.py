"""Prints the explanation of a pod or a job: the facts, then the sums on its path to the root."""

from typing import Final

from elasticquota_cli import amount
from elasticquota_cli.explain import report, show


_HEAD: Final = ("QUOTA", "RESOURCE", "ADMITTED", "", "ASKED", "", "RUNTIME", "MIN", "MAX")


def pod(found: report.PodExplanation) -> None:
    """Print the explanation."""
    tree = f" (tree {found.tree})" if found.tree and found.tree != found.quota else ""
    line = f"{found.line.place} of {found.line.length}" if found.line else ""
    show.facts(
        [
            ("Job", found.job) if found.job else ("Pod", f"{found.namespace}/{found.name}"),
            ("State", found.state),
            ("Why", found.message),
            ("Quota", f"{found.quota or 'none'}{tree}: {found.rule_message}"),
            ("Verdict", show.verdict(found.verdict)),
            ("Request", show.asked(found.request)),
            ("Priority", str(found.priority)),
            ("Position", line),
            ("Remedy", ", or ".join(found.remedies)),
            ("Reclaim", _reclaim(found.reclaim)),
        ]
    )
    show.section("PATH TO THE ROOT", _HEAD, [_sum(step) for step in found.path])
    show.evictions("WOULD BE EVICTED IF NOTHING CHANGES", found.evictions)


def _reclaim(found: report.Reclaim | None) -> str:
    if found is None:
        return ""
    return f"{'possible' if found.possible else 'no'}: {found.why}"


def _sum(step: report.Step) -> tuple[str, ...]:
    key = step.resource
    waits = step.asked != "0"
    quota = f"{step.quota} (its own pods)" if step.parents_own_pods else step.quota
    return (
        quota,
        key,
        amount.short(key, step.admitted),
        "+" if waits else "",
        amount.short(key, step.asked) if waits else "",
        "<=" if step.fits else ">",
        amount.short(key, step.runtime),
        amount.short(key, step.min),
        amount.short(key, step.max),
    )
