"""Prints the answer: short, or wide with all that is known and the sums of each level."""

from collections.abc import Sequence

from elasticquota.forest import wording as sentences
from elasticquota_cli.printers import amount, output, table
from elasticquota_cli.why import tables
from elasticquota_cli.why.parts import report
from elasticquota_kube.client.paths import PODS


def names(answer: report.WhyAnswer) -> Sequence[str]:
    """The object that the answer is about as kubectl takes it: of a workload the first pod."""
    if answer.quota:
        return [output.quota(answer.quota.name)]
    pod = answer.pod
    if pod is None:
        return []
    return [
        output.name_of(PODS, pod.name) if pod.kind == "Pod" else f"{pod.kind.lower()}/{pod.name}"
    ]


def show(answer: report.WhyAnswer, *, wide: bool = False) -> None:
    """Print the answer to standard output; not ``wide``: on one screen."""
    if answer.quota:
        tables.quota(answer.quota, wide=wide)
        return
    pod = answer.pod
    if pod is None:
        return
    table.line(answer.summary, "waiting" if pod.state == "Waiting" else "plain")
    rows = _facts(pod, wide=wide)
    if any(text for _, text in rows):
        print()
        tables.facts(rows)
    if pod.can_do:
        print("\nYou can")
        for each in pod.can_do:
            table.line(f"  - {each}")
    if wide:
        tables.sums(pod)


def _facts(pod: report.PodAnswer, *, wide: bool) -> Sequence[tuple[str, str]]:
    waits = pod.state == "Waiting"
    place = f", position {pod.line.place} of {pod.line.length}" if pod.line else ""
    tree = f" (tree {pod.tree})" if pod.tree and pod.tree != pod.quota else ""
    evicted = f"{sentences.counted(len(pod.evictions), 'pod')}, if nothing changes"
    rows = [
        (waits or wide, "First" if waits else pod.kind, f"{pod.name}{place}"),
        (wide, "State", pod.state),
        (waits, "Waits", amount.ago(pod.since)),
        (waits or wide, "Needs" if waits else "Request", tables.asked(pod.request)),
        (waits or wide, "Why", pod.message),
        (wide, "Quota", f"{pod.quota or 'none'}{tree}: {pod.rule_message}"),
        (wide, "Verdict", tables.verdict(pod.verdict)),
        (wide, "Priority", str(pod.priority)),
        (bool(pod.evictions), "Evicts", evicted),
        (waits, "Expected", _expected(pod.expected)),
        (True, "Reclaim", _reclaim(pod.reclaim)),
    ]
    return [(name, text) for shown, name, text in rows if shown]


def _reclaim(found: report.ReclaimAnswer | None) -> str:
    if found is None:
        return ""
    return f"{'possible' if found.possible else 'no'}: {found.why}"


def _expected(found: report.Expected | None) -> str:
    if found is None:
        return ""
    if not found.time:
        return f"not known: {found.because}" if found.because else ""
    because = f"; {found.because}" if found.because else ""
    return f"{found.time} from {found.at} on{because}"
