"""A shared claim counts exactly once, under any order of events and restarts (placement 4)."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import claim_generator
from claim_generator import EVENTS
from elasticquota import resources
from elasticquota.devices import demand
from elasticquota.model.claims import ClaimingPod
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
        assert lived.pods._ledger.nodes == restarted.pods._ledger.nodes


@given(EVENTS)
def test_each_claim_that_pods_use_counts_in_one_of_them(events: Any) -> None:
    found = _settled(events)
    classes = found.nodes.demand
    written = claim_generator.remaining(events)
    used: dict[str, Any] = {}
    for (kind, _), pod in written.items():
        if kind == "pod" and isinstance(pod, ClaimingPod):
            for each in pod.claims:
                claim = written.get(("claim", f"team/{each.claim}"))
                if claim is not None and not each.skipped:
                    used.setdefault(each.claim, []).append(pod)
    for (kind, _), pod in written.items():
        if kind != "pod" or not isinstance(pod, ClaimingPod):
            continue
        counted = found.pods._ledger.pods[pod.key]
        once = _asked(pod, written, used, classes)
        assert counted.request == resources.add(pod.request, once)


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
            users = [user for user in used[each.claim] if _may_use(user, claim)]
            first = min(users, key=lambda user: (user.gated, user.created, user.uid))
            devices = demand.of_claim(claim, classes) if first.key == pod.key else {}
        total = resources.add(total, demand.resources(devices, classes))
    return total


def _may_use(pod: ClaimingPod, claim: Any) -> bool:
    """A claim that was generated is for one pod, unless others name the claim itself."""
    by_template = [each for each in pod.claims if each.claim == claim.key.name and each.template]
    return not by_template or claim.owner == pod.uid
