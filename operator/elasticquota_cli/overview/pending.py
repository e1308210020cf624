"""``pending``: a line for each quota in which pods wait."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from elasticquota import names, resources
from elasticquota.forecast import positions, wording
from elasticquota.model.pod import Pod
from elasticquota_cli.overview import report
from elasticquota_cli.overview.overview import Overview
from elasticquota_cli.why.parts import message_text
from elasticquota_cli.why.published.published_quota import PublishedQuota


def of(seen: Overview) -> report.PendingList:
    """The lines, most waiting pods first."""
    found = sorted(_lines(seen), key=lambda each: (-each.waiting, each.quota, each.namespace))
    return report.PendingList(report.API_VERSION, found, list(seen.notes))


def _lines(seen: Overview) -> Iterator[report.Pending]:
    waiting: dict[str, list[Pod]] = defaultdict(list)
    quota_of = seen.quota_of()
    for pod in seen.pods or ():
        waiting[quota_of(pod)].append(pod)
    for published in seen.quotas:
        pods = waiting.pop(published.quota.name, [])
        if pods or (published.waiting and not published.quota.is_parent):
            yield _line(published.quota.name, pods, published, seen.now)
    for name, pods in waiting.items():
        yield _line(name, pods, None, seen.now)


def _line(
    name: str, pods: Sequence[Pod], published: PublishedQuota | None, now: int | None
) -> report.Pending:
    head = min(pods, key=_place, default=None)
    said = message_text.read(head.waiting_message if head else "")
    asked = resources.add(*(pod.request for pod in pods))
    return report.Pending(
        namespace=published.quota.key.namespace if published else "",
        quota=name,
        waiting=max(len(pods), published.waiting if published else 0),
        needs=resources.text({key: asked[key] for key in asked if key != names.PODS}),
        head=str(head.key) if head else "",
        reason=said.reason,
        message=said.text,
        oldest=min((pod.created for pod in pods if pod.created), default=""),
        expected=_expected(published, now),
    )


def _place(pod: Pod) -> tuple[bool, int, int, str, str]:
    """By the position that the controller has published, or else by priority and age."""
    line = message_text.read(pod.waiting_message).line
    return line is None, line.place if line else 0, -pod.priority, pod.created, str(pod.key)


def _expected(published: PublishedQuota | None, now: int | None) -> str:
    """The range of the head, less the time since it was published."""
    estimate = published.estimate if published else None
    reach = positions.of_position(estimate, 1) if estimate else None
    if estimate is None or reach is None:
        return ""
    passed = max(0, now - estimate.made_at) // 1000 if now is not None else 0
    return wording.expected(positions.remaining(reach, passed))
