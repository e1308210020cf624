"""A shared claim counts exactly once, under any order of events and restarts (placement 4)."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import claim_generator
import law_breaks
from claim_generator import EVENTS
from elasticquota import resources
from elasticquota.devices import demand, job_claims, pod_claims
from elasticquota.devices.pod_claims import PodClaims
from elasticquota.model.claims import ClaimingJob, ClaimingPod
from elasticquota.model.devices import Slice


def _settled(events: list[tuple[str, str, Any]]) -> Any:
    found = claim_generator.tracker()
    for event in events:
        claim_generator.feed(found, *event)
    found.flush()
    return found


def _complete(objects: claim_generator.Objects) -> bool:
    slices = [each for each in objects.values() if isinstance(each, Slice)]
    return len(slices) in (0, 2)


@given(EVENTS, st.randoms())
def test_only_what_exists_decides_how_pods_and_nodes_count(events: Any, random: Any) -> None:
    objects = claim_generator.remaining(events)
    left = [("put", kind, obj) for (kind, _), obj in objects.items()]
    random.shuffle(left)
    lived, restarted = _settled(events), _settled(left)
    if _complete(objects):  # an incomplete pool keeps what it offered last
        assert lived.pods._ledger.pods == restarted.pods._ledger.pods
        assert lived.pods._ledger.jobs == restarted.pods._ledger.jobs
        assert lived.pods._ledger.nodes == restarted.pods._ledger.nodes


@given(EVENTS)
def test_each_claim_that_pods_use_counts_in_one_of_them(events: Any) -> None:
    found = _settled(events)
    classes = found.nodes.demand
    written = claim_generator.remaining(events)
    used = _users(written)
    for (kind, _), pod in written.items():
        if kind != "pod" or not isinstance(pod, ClaimingPod):
            continue
        counted = found.pods._ledger.pods[pod.key]
        once = _asked(pod, written, used, classes)
        assert counted.request == resources.add(pod.request, once)


@given(EVENTS)
def test_each_claim_that_jobs_need_counts_in_one_of_them_or_in_one_pod(events: Any) -> None:
    found = _settled(events)
    classes = found.nodes.demand
    written = claim_generator.remaining(events)
    used = _users(written)
    for (kind, _), job in written.items():
        if kind != "job":
            continue
        total: dict[str, int] = {}
        for claim, holder in ((claim, _first(claim, used, written)) for claim in _reserved(job)):
            named = written.get(("claim", f"team/{claim}"))
            of_job = holder.key == job.key or not set(job.labels).isdisjoint(_marks(holder))
            if named is not None and of_job:
                devices: Any = demand.of_claim(named, classes)
                total = resources.add(total, demand.resources(devices, classes))
        for pods in job.sets:
            for each in pods.claims:
                source = written.get(("template", f"team/{each.template}"))
                if each.template and source is not None:
                    devices = demand.resources(demand.of_spec(source.spec, classes), classes)
                    times = {key: amount * pods.number for key, amount in devices.items()}
                    total = resources.add(total, times)
        counted = found.pods._ledger.jobs[job.key]
        assert _positive(counted.request) == _positive(resources.add(job.request, total))


def _users(written: Any) -> dict[str, list[Any]]:
    """The pods that use each claim, and the jobs that reserve it."""
    used: dict[str, Any] = {}
    for (kind, _), user in written.items():
        if kind == "pod" and isinstance(user, ClaimingPod):
            for each in user.claims:
                if each.claim and not each.skipped:
                    used.setdefault(each.claim, []).append(user)
        elif kind == "job":
            for claim in _reserved(user):
                used.setdefault(claim, []).append(user)
    return used


def _reserved(job: Any) -> set[str]:
    return {each.claim for pods in job.sets if pods.number for each in pods.claims if each.claim}


def _first(claim: str, used: Any, written: Any) -> Any:
    """The pod or job in which a claim counts, from the text of the rule."""
    named = written.get(("claim", f"team/{claim}"))
    return min(
        (each for each in used[claim] if named is None or _may_use(each, named)),
        key=lambda user: (user.gated, _is_job(user), user.created, user.uid),
    )


def _is_job(user: Any) -> bool:
    return isinstance(user, ClaimingJob)


def _marks(user: Any) -> tuple[str, ...]:
    return tuple(user.labels if _is_job(user) else user.jobs)


def _positive(request: Any) -> dict[str, int]:
    return {key: amount for key, amount in request.items() if amount}


def _asked(pod: ClaimingPod, written: Any, used: Any, classes: Any) -> dict[str, int]:
    """What the claims of a pod add to its request, from the text of the rule."""
    total: dict[str, int] = {}
    seen = set()
    for each in pod.claims:
        if each.skipped or (each.claim and each.claim in seen):
            continue
        seen.add(each.claim)
        devices: Any
        if not each.claim:
            source = written.get(("template", f"team/{each.template}"))
            devices = demand.of_spec(source.spec, classes) if source else {}
        else:
            claim = written.get(("claim", f"team/{each.claim}"))
            if claim is None or not _may_use(pod, claim):
                continue
            first = _first(each.claim, used, written)
            devices = demand.of_claim(claim, classes) if first.key == pod.key else {}
        total = resources.add(total, demand.resources(devices, classes))
    return total


def _may_use(pod: Any, claim: Any) -> bool:
    """A claim that was generated is for one pod, unless others name the claim itself."""
    if _is_job(pod):
        return True
    by_template = [each for each in pod.claims if each.claim == claim.key.name and each.template]
    return not by_template or claim.owner == pod.uid


@pytest.mark.parametrize(
    ("law", "owner", "name", "wrong"),
    [
        (
            test_only_what_exists_decides_how_pods_and_nodes_count,
            pod_claims,
            "_role",
            lambda _: None,
        ),
        (
            test_each_claim_that_pods_use_counts_in_one_of_them,
            PodClaims,
            "_settle",
            lambda *_: None,
        ),
        (
            test_each_claim_that_jobs_need_counts_in_one_of_them_or_in_one_pod,
            job_claims,
            "_is_of",
            lambda *_: True,
        ),
    ],
)
def test_a_law_fails_without_what_it_is_about(
    law: Callable[..., None], owner: object, name: str, wrong: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(owner, name, wrong)
    assert law_breaks.notices(law, monkeypatch)
