"""Plans pods and workloads for users who may not read everything, from published figures.

Nothing is decided here: a pod that fits what its quota and the readable quotas above it have left
is said to start, others wait behind those that wait already. What is left is counted up to the
share or, if that is more, up to min: the share of an idle quota is 0, and grows when its pods ask.
How far it grows beyond min, and what would be evicted, is not known here: of other namespaces
nothing is read but quotas that the user may read.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from elasticquota import names, resources
from elasticquota.forecast import pod_summary, positions, wording
from elasticquota.forest import wording as wording_of
from elasticquota.model.quota import Figures
from elasticquota.resources import Resources
from elasticquota.structs import replace
from elasticquota_cli.failures.failure import Failure
from elasticquota_cli.live import tenant_view
from elasticquota_cli.live.listing import Cluster
from elasticquota_cli.plan import report, summary
from elasticquota_cli.plan.live import Closed
from elasticquota_cli.simulate.objects import Objects
from elasticquota_cli.simulate.submitted import SubmittedObjects, SubmittedOwner
from elasticquota_cli.why.published import statuses
from elasticquota_cli.why.published.published_quota import PublishedQuota


_ANY: Final = 2**31
"""More pods than any workload has."""
_BASIS: Final = (
    "So nothing is computed: what starts and waits is by the figures that the controller last "
    "published, and what would be evicted is not known. A share grows with what its pods ask for, "
    "so more may start than is said here: kubectl apply --dry-run=server computes that"
)
_SUM_UP: Final = "kubectl apply --dry-run=server prints the webhook's summary of it"


def of(cluster: Cluster, closed: Closed, change: Objects) -> report.Plan:
    """The plan; raises `Failure` for a change of anything but pods and workloads."""
    lists = ", ".join(closed.plurals)
    if change.quotas or change.profiles or change.nodes or change.removals:
        raise Failure(
            f"you may not read all {lists}, and a plan of such a change needs them. An "
            f"administrator can make it, or give you a report for --report. {_SUM_UP}"
        )
    submitted = [_outcome(cluster, *each) for each in _wanted(change)]
    plan = report.Plan(
        api_version=report.API_VERSION,
        basis="published",
        settled=True,
        elapsed_milliseconds=0,
        shares=[],
        evicted=[],
        evictions=[],
        not_backed=[],
        not_accepted=[],
        starts_sooner=[],
        starts_later=[],
        submitted=submitted,
        refused=[],
        notes=[f"you may not read all {lists}. {_BASIS}"],
    )
    plan.summary = summary.of(plan)
    return plan


def _wanted(change: Objects) -> Iterator[tuple[SubmittedOwner, SubmittedObjects, int]]:
    """Each pod and workload, with one of its pods and their number."""
    for pod in change.pods:
        yield SubmittedOwner("Pod", *pod.pod.key), pod, 1
    for workload in change.workloads:
        yield workload.owner, workload.pattern, workload.count


def _outcome(
    cluster: Cluster, owner: SubmittedOwner, one: SubmittedObjects, count: int
) -> report.Submitted:
    """What becomes of ``count`` pods like ``one``."""
    seen = cluster.read(lambda api: tenant_view.read(api, owner.namespace))
    quota, path = statuses.path_of(seen, one.pod)
    known = [each for each in path if each.figures is not None]
    request = {key: value for key, value in one.pod.request.items() if key != names.PODS}
    waiting = path[0].waiting if path else 0
    closed = next(filter(None, map(_closed, path)), "")
    is_open = known and not (waiting or closed)
    starts = min(count, _fitting(request, known)) if is_open else 0
    of_share = _fitting(request, known, owed=False) if is_open else 0
    place = waiting + 1 if starts < count else 0
    estimate = path[0].estimate if path else None
    reach = positions.of_position(estimate, place) if estimate and place else None
    short = [text for each in known[:1] for text in pod_summary.lacking(request, _asking(each))]
    reasons = (
        _reclaimed(path[0], request, starts - of_share) if starts > of_share else "",
        _why(short, waiting, starts < count, known=bool(known)),
    )
    return report.Submitted(
        owner.namespace,
        owner.name,
        kind=owner.kind,
        quota=quota,
        pods=count,
        starts=starts,
        starts_within_milliseconds=0,
        waits=count - starts,
        place=place,
        reason="",
        message=closed or "; ".join(filter(None, reasons)),
        reclaims=0,
        estimate=wording.expected(reach) if reach else "",
        after_reclaim=starts > of_share,
    )


def _closed(standing: PublishedQuota) -> str:
    """Why no new pod starts in the quota or below it; empty: it is not known."""
    name, verdict = standing.quota.name, standing.verdict
    if verdict is not None and not verdict.accepted:
        return f"quota {name} is not accepted: {verdict.reason}"
    return f"quota {name} is paused" if standing.quota.paused else ""


def _asking(standing: PublishedQuota) -> Figures:
    """The figures with the share that the quota has at least when its pods ask for it."""
    figures = standing.figures or Figures()
    share = resources.maximum(figures.runtime, resources.masked(standing.min, figures.runtime))
    return replace(figures, runtime=share)


def _of_now(standing: PublishedQuota) -> Figures:
    return standing.figures or Figures()


def _reclaimed(standing: PublishedQuota, request: Resources, pods: int) -> str:
    """What ``pods`` pods take beyond the current share, which others may have borrowed."""
    amounts = ", ".join(
        wording_of.amount(key, asked * pods)
        for key, asked in sorted(request.items())
        if asked > 0 and key in _of_now(standing).runtime
    )
    return (
        f"{amounts} of that within the guarantee of quota {standing.quota.name} and beyond its "
        "current share: pods that borrow this room are evicted first"
    )


def _fitting(request: Resources, path: Sequence[PublishedQuota], *, owed: bool = True) -> int:
    """How many pods of this request fit what is left on the path.

    ``owed``: of the share that the quotas have at least when their pods ask; else of that of now.
    """
    figures_of = _asking if owed else _of_now
    return min(
        (
            max(0, figures.runtime[key] - figures.admitted.get(key, 0)) // asked
            for figures in map(figures_of, path)
            for key, asked in request.items()
            if asked > 0 and key in figures.runtime
        ),
        default=_ANY,
    )


def _why(short: Sequence[str], waiting: int, waits: bool, *, known: bool) -> str:
    if not known:
        return "no quota that you may read says what is left"
    if not waits:
        return ""
    ahead = [f"{wording_of.counted(waiting, 'pod')} ahead at most"] if waiting else []
    return "; ".join([*short, *ahead]) or "not all of them fit what is left"
