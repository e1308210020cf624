"""What must be true of a world in which nothing moves any more; each fault is one sentence."""

from collections.abc import Callable, Iterable

from elasticquota import resources
from virtual_cluster.figures import Standing
from virtual_cluster.scene import Scene


def nobody_below_min_waits_for_what_could_be_taken(now: Standing) -> Iterable[str]:
    for name, pod in now.owed():
        way = next(iter(now.ways(name, pod)), None)
        if way is not None:
            yield f"{pod.key.name} of {name} is within min and waits; could go: {sorted(way)}"


def nobody_waits_for_a_share_that_another_holds(now: Standing) -> Iterable[str]:
    """In whole pods, so that the giver keeps its own share."""
    for name, pod in now.unstopped():
        if not now.fits(name, pod.request):
            for giver, victim in now.singles(name, pod):
                if resources.fits(victim.request, now.over(giver)):
                    yield f"{pod.key.name} of {name} waits for what {giver} holds too much"


def nothing_is_idle_that_somebody_wants(now: Standing) -> Iterable[str]:
    """While somebody within min waits, or the head of a line within the runtime of its quota, idle
    room is for the first such pod only.
    """
    waiting = list(now.unstopped())
    if any(now.owed()) or any(now.is_due(name, pod) for name, pod in waiting):
        return
    for name, pod in waiting:
        if now.fits_limits(name, pod.request):
            yield f"{pod.key.name} of {name} waits, and there is room"


def no_lower_pod_keeps_a_higher_one_of_its_quota_waiting(now: Standing) -> Iterable[str]:
    """Unless another quota's pod within its runtime would take the room, or the quota holds more
    than its runtime by more than the pod asks for: then it has to give back first.
    """
    for name, pod in now.unstopped():
        if not resources.fits(now.over(name), pod.request):
            continue
        for lower in now.pods[name]:
            if (
                lower.priority < pod.priority
                and lower.uid not in now.stuck
                and now.fits(name, pod.request, without=[lower.uid])
                and not any(
                    quota != name and now.fits(quota, rival.request, without=[lower.uid])
                    for quota, rival in now.waiting
                )
            ):
                yield f"{pod.key.name} of {name} could take the place of {lower.key.name}"


def nobody_keeps_what_is_beyond_max(now: Standing) -> Iterable[str]:
    """Unless min would be touched, which a whole pod can be larger than."""
    for name, pods in now.pods.items():
        held = now.held(name)
        for key in resources.exceeding(held, now.high[name]):
            for pod in pods:
                left = held[key] - pod.request.get(key, 0)
                if pod.uid not in now.stuck and now.low[name].get(key, 0) <= left < held[key]:
                    yield f"{name} holds {held[key]} {key} of max {now.high[name][key]}"
                    break


LAWS: tuple[Callable[[Standing], Iterable[str]], ...] = (
    nobody_below_min_waits_for_what_could_be_taken,
    nobody_waits_for_a_share_that_another_holds,
    nothing_is_idle_that_somebody_wants,
    no_lower_pod_keeps_a_higher_one_of_its_quota_waiting,
    nobody_keeps_what_is_beyond_max,
)


def faults(scene: Scene) -> list[str]:
    """Everything that is not as the laws want it."""
    now = Standing(scene)
    assert not now.leaving, now.leaving
    return [fault for law in LAWS for fault in law(now)]
