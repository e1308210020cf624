"""Messages of waiting pods: what is needed, what is used of which share, what has to happen.

A message has only figures that the decision used; ``pod_messages`` makes the whole text of it. Its
facts are what decides whether it is news, so a word, or a figure beside the point, may change
without a write.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Final, NamedTuple

from elasticquota import names, pool_keys, quantity
from elasticquota.forest import wording
from elasticquota.ledger.nodes import node_fit
from elasticquota.ledger.pods.infeasible import Infeasible
from elasticquota.model.pod import Pod
from elasticquota.model.verdict import Verdict
from elasticquota.model.wait_reason import WaitReason
from elasticquota.model.workload import Counted, QueuedJob, Workload
from elasticquota.resources import Resources
from elasticquota.scheduling.snapshot import reasons
from elasticquota.scheduling.snapshot.reasons import Bounds, Guarantee, Reason, Shortage
from elasticquota.scheduling.snapshot.user_limits import Reached


_NEVER: Final[Mapping[str, str]] = {
    "ExceedsMax": "It starts only if it asks for less, or if that limit is raised",
    "NoNodeFits": "It starts only if it asks for less, or if a node for it joins the tree",
    "ProvisioningRefused": "",
    "QuotaNotAccepted": "",
    "ProfileMissing": "It starts when the profile is created again",
    "QuotaPaused": "It starts when the pause ends",
    "WaitingForClaim": "It starts when that is corrected",
    "WaitingForGroup": "It starts when its group is complete",
}
"""What has to happen for a pod that is infeasible, where its message does not say it."""


_text: Final = quantity.shown
_TRIED_NEXT: Final = "It is tried when that one has started"


class Message(NamedTuple):
    """Why a workload waits, without its position, which is known at the end of the cycle."""

    reason: WaitReason
    detail: str
    """The first sentence, without its point."""
    starts: str = ""
    """What has to happen: a sentence without its point; empty: ``detail`` says it."""
    keys: tuple[str, ...] = ()
    """The resources that are short."""
    missing: int = 0
    """Of the first of them, how much others have to free; 0: it is not known."""
    figures: tuple[Hashable, ...] = ()
    """What it says, as values; empty: its text says it all."""
    entitled: bool = False
    """Of a pod that waits for reclaim: a guarantee gives it what it lacks."""
    contested: bool = False
    """Those ahead of it in its queue may take what ``starts`` says must be freed."""

    @property
    def facts(self) -> tuple[Hashable, ...]:
        """What makes it news when it changes."""
        return self.figures or (self.detail,)


def of(why: Reason) -> Message:
    """The message of a reason."""
    if isinstance(why, Infeasible):
        return infeasible(why)
    return not_accepted(why) if isinstance(why, Verdict) else _MESSAGES[type(why)](*why)


def shortage(
    workload: Workload,
    short: Shortage,
    own: Bounds,
    users: Sequence[tuple[str, int]] = (),
    owed: Guarantee | None = None,
) -> Message:
    """For a workload that lacks room.

    ``own`` is what its quota is guaranteed and may use, ``users`` are the largest users of the
    quota above it that is full. ``owed``: the guarantee that gives it what it lacks.
    """
    key = short.keys[0]
    share, left = short.limit.get(key, 0), short.left.get(key, 0)
    missing = workload.request.get(key, 0) - left
    freed = _freed(key, missing)
    entitled = owed is not None
    figures = (short.where, short.quota, key, workload.request.get(key, 0), share, left, entitled)
    needs, more = _needs(workload, key), _more(short.keys)
    match short.where:
        case "own":
            bounds = _bounds(key, own)
            detail = f"{needs}; {_used(key, share, left)} ({bounds}){more}"
            starts = _own_starts(workload, key, short, own, freed)
            facts = (*figures, bounds)
            contested = workload.request.get(key, 0) <= share  # or its share has to grow
            return Message(
                "QuotaExhausted", detail, starts, short.keys, missing, facts, contested=contested
            )
        case "ancestor":
            largest = ", ".join(f"{name} {_text(key, held)}" for name, held in users)
            who = f" (largest users: {largest})" if largest else ""
            free = _text(key, left) if left > 0 else "none"
            right = f", which is {_right(key, own, owed)}" if owed else ""
            detail = (
                f"{needs}{right}; quota {short.quota} above it has {free} of its current share of "
                f"{_text(key, share)} left{who}{more}"
            )
            starts = f"{freed} below {short.quota}"
            if owed is None:
                starts = f"{starts} or the share of {short.quota} grows"
                return Message(
                    "AncestorExhausted",
                    detail,
                    starts,
                    short.keys,
                    missing,
                    figures,
                    contested=True,
                )
        case "nodes":
            detail = (
                f"{needs}, which is {_right(key, own, owed)}; the nodes of tree {short.quota} have "
                f"{_text(key, max(left, 0))} of {_text(key, share)} left{more}"
            )
            starts = f"{freed} there"
    return Message("WaitingForReclaim", detail, starts, short.keys, missing, figures, entitled)


def no_node(workload: Workload, why: Mapping[str, int]) -> Message:
    """For a pod with room in its quota; ``why`` counts nodes by what keeps it off."""
    few = why.get("", 0)
    free = ", ".join(
        wording.amount(key, workload.request[key])
        for key in sorted(workload.request)
        if workload.request[key] > 0 and key != names.PODS and not pool_keys.is_reserved(key)
    )
    counts = Counter({each: count for each, count in why.items() if each and count})
    if few:
        counts[f"have less than {free} free" if free else "have no pod slot free"] = few
    which = "it" if isinstance(workload, Pod) else "all of it"
    of = wording.counted(sum(counts.values()), "node")
    detail = f"within its share, but of {of} none has room for {which} now"
    detail = f"{detail}: {node_fit.listed(counts)}"
    return Message("NoNodeFitsNow", detail, "It starts when a node has room")


def others_unbound() -> Message:
    """For a pod that may preempt and has room, unless unbound pods take it."""
    detail = (
        "has room, but pods that have no node yet may take it, and then it would preempt others"
    )
    return Message("NoNodeFitsNow", detail, "It starts when they are placed")


def many_without_node(tried: int) -> Message:
    """For a pod that was not tried in this cycle, because several ahead of it were in vain."""
    detail = f"{tried} pods ahead of it find no node with room now"
    return Message("NoNodeFitsNow", detail, "It is tried after them")


def limit_reached(workload: Workload, reached: Reached) -> Message:
    """For a pod whose user, group or applications are at a limit."""
    (quota, subject), key = reached.scope, reached.resource
    if key:
        held, most = _text(key, reached.held), _text(key, reached.most)
        missing = workload.request.get(key, 0) + reached.held - reached.most
        detail = f"{_needs(workload, key)}; {subject} holds {held} of {most} in quota {quota}"
        if subject.kind == "all":
            detail = (
                f"{_needs(workload, key)}; {held} of the {most} that annotation "
                f"{names.ADMISSION} of quota {quota} allows {_are(held)} in use"
            )
            return Message("LimitReached", detail, f"{_freed(key, missing)} there", (key,))
        starts = f"It starts when {subject} frees {wording.amount(key, missing)} there"
        return Message("LimitReached", detail, starts, (key,))
    named = workload.holder.application
    which = f"application {named}" if named else f"the application of {workload.key.namespace}"
    whose = wording.counted(reached.most, "application")
    whose = whose if subject.kind == "all" else f"{whose} of {subject}"
    run = f"{reached.held} of {whose} {'runs' if reached.held == 1 else 'run'}"
    detail = f"{which} is new, and {run} in quota {quota}"
    ends = "that one ends" if reached.held == 1 else "one of them ends"
    return Message("LimitReached", detail, f"It starts when {ends}")


def max_exhausted(
    workload: Workload, keys: tuple[str, ...], limit: Resources, left: Resources
) -> Message:
    """For a pod for which the max of its quota has no room."""
    key = keys[0]
    most, free = limit.get(key, 0), left.get(key, 0)
    detail = (
        f"{_needs(workload, key)}; its quota has {_text(key, max(0, free))} of its limit of "
        f"{_text(key, most)} left{_more(keys)}"
    )
    starts = f"{_freed(key, workload.request.get(key, 0) - free)} there"
    return Message("QuotaExhausted", detail, starts, keys, contested=True)


def non_preemptible(
    workload: Workload, keys: tuple[str, ...], low: Resources, held: Resources
) -> Message:
    """For a pod that is not preemptible and would exceed the guarantee ``low``.

    ``held`` is what pods like it hold.
    """
    key = keys[0]
    detail = (
        f"{_needs(workload, key)} and may not be evicted; such pods may use what is guaranteed, "
        f"and they use {_text(key, held.get(key, 0))} of {_text(key, low.get(key, 0))}{_more(keys)}"
    )
    fits = all(workload.request.get(each, 0) <= low.get(each, 0) for each in keys)
    freed = "when they free that much, or " if fits else ""
    starts = (
        f"It starts {freed}when the guarantee is raised, or without label "
        f'{names.PREEMPTIBLE}: "false"'
    )
    return Message("QuotaExhausted", detail, starts, keys)


def strict(head: Workload) -> Message:
    """For a pod behind ``head`` in a quota in which no pod passes another."""
    detail = f"behind {head.title}, which no pod of its quota may pass (its queueing is Strict)"
    return Message("WaitingInLine", detail, _TRIED_NEXT)


def behind(head: Workload, seconds: int) -> Message:
    """For a pod behind ``head``, which has been at the head of the queue for ``seconds``."""
    detail = (
        f"blocked by {head.title}, which has been at the head of the queue for {seconds} s or more "
        "(head-of-line protection)"
    )
    return Message("WaitingInLine", detail, _TRIED_NEXT)


def other_gates(pod_or_job: Counted) -> Message:
    """For a pod with gates of other controllers, or a job with pods that are to be deleted."""
    if isinstance(pod_or_job, QueuedJob):
        detail = "it still has pods that its operator has not deleted"
        return Message("WaitingForOtherGates", detail, "It enters the queue when they are gone")
    detail = f"other controllers hold it, too, by scheduling gate {_other_gates(pod_or_job)}"
    return Message("WaitingForOtherGates", detail, "It enters the queue when ours is the last gate")


def member_gated(member: Pod) -> Message:
    """For a pod whose group has a pod with a gate of another controller."""
    detail = f"pod {member.key} of its group is held by scheduling gate {_other_gates(member)}"
    return Message("WaitingForGroup", detail, "Its group enters the queue without that gate")


def release_refused(refused: Counted) -> Message:
    """For a pod whose release was refused a moment ago, or that of a pod of its group."""
    detail = (
        f"the release of {refused.title} was refused (its event QuotaReleaseRefused says by whom), "
        "so it holds no room"
    )
    return Message("ReleaseRefused", detail, "It is tried again within a minute")


def surplus_of_group(pod: Pod, size: int) -> Message:
    """For a pod that its group can start without."""
    of = (
        f"of group {pod.group.name if pod.group else ''} {wording.agreed(size, 'start')} without it"
    )
    if size == 1:
        return Message("WaitingForGroup", f"the first pod {of}", _TRIED_NEXT)
    starts = "It is tried when they have started"
    return Message("WaitingForGroup", f"the first {size} pods {of}", starts)


def not_accepted(verdict: Verdict) -> Message:
    """For a pod whose quota is not accepted."""
    detail = f"the quota is not accepted: {verdict.reason}: {verdict.message}"
    return Message("QuotaNotAccepted", detail, "It is tried when the quota is corrected")


def infeasible(found: Infeasible) -> Message:
    """For a pod that can never be admitted as things stand."""
    starts = found.starts or _NEVER[found.reason]
    return Message(found.reason, found.message.removesuffix("."), starts)


def asked_for_nodes(text: str) -> Message:
    """For a pod that is admitted, and whose nodes an autoscaler is asked for."""
    return Message("WaitingForProvisioning", text, "It starts when its nodes are there")


_MESSAGES: Final[Mapping[type, Callable[..., Message]]] = {
    reasons.LacksRoom: shortage,
    reasons.NoNode: no_node,
    reasons.OthersUnbound: others_unbound,
    reasons.ManyTried: many_without_node,
    reasons.LimitReached: limit_reached,
    reasons.BeyondMax: max_exhausted,
    reasons.BeyondMin: non_preemptible,
    reasons.BehindStrict: strict,
    reasons.BehindOverdue: behind,
    reasons.OtherGates: other_gates,
    reasons.MemberGated: member_gated,
    reasons.ReleaseRefused: release_refused,
    reasons.Surplus: surplus_of_group,
}


def _bounds(key: str, own: Bounds) -> str:
    return wording.bounds(key, own.guaranteed, own.most)


def _right(key: str, own: Bounds, owed: Guarantee | None) -> str:
    """By what right a workload waits for room that others hold."""
    if owed is not None and owed.above:
        return f"within the guarantee of {_text(key, owed.low.get(key, 0))} of quota {owed.above}"
    return f"within its {'current share' if owed is None else 'guarantee'} ({_bounds(key, own)})"


def _other_gates(pod_or_job: Counted) -> str:
    return ", ".join(gate for gate in pod_or_job.gates if gate != names.GATE)


def _freed(key: str, missing: int) -> str:
    return f"It starts when {wording.amount_is(key, missing)} freed"


def _own_starts(workload: Workload, key: str, short: Shortage, own: Bounds, freed: str) -> str:
    """What has to happen where the share of the own quota is in use."""
    share, asked = short.limit.get(key, 0), workload.request.get(key, 0)
    if asked > share:
        return f"It starts when its share grows to at least {wording.amount(key, asked)}"
    starts = f"{freed} in {short.quota}"
    most = own.most.get(key)
    return starts if most is not None and share >= most else f"{starts} or its share grows"


def _used(key: str, share: int, left: int) -> str:
    """How much of a share is in use."""
    used, text = _text(key, share - left), _text(key, share)
    if share <= 0 or left >= share:
        return f"its current share is {text}"
    if left == 0:
        if text == "1":
            return "its current share of 1 is in use"
        return f"all {text} of its current share are in use"
    return f"{used} of its current share of {text} {_are(used)} in use"


def _more(keys: Sequence[str]) -> str:
    """The other resources that are short."""
    more = ", ".join(wording.title(key) for key in keys[1:])
    return f"; also short: {more}" if more else ""


def _needs(workload: Workload, key: str) -> str:
    who = "" if isinstance(workload, Pod) else workload.title
    return wording.needs(workload.request, key, who)


def _are(amount: str) -> str:
    return "is" if amount == "1" else "are"
