"""What must be true of a scene at rest; each violation is one sentence."""

from collections.abc import Callable, Iterable

from elasticquota import resources
from virtual_cluster.figures import SceneFigures
from virtual_cluster.scene import Scene


def no_pod_within_min_waits_for_what_can_be_reclaimed(now: SceneFigures) -> Iterable[str]:
    for name, pod in now.owed():
        way = next(iter(now.ways(name, pod)), None)
        if way is not None:
            yield f"{pod.key.name} of {name} is within min and waits; could go: {sorted(way)}"


def no_pod_waits_for_a_share_that_another_quota_holds(now: SceneFigures) -> Iterable[str]:
    """In whole pods, so that the other quota keeps its own share."""
    for name, pod in now.unstopped():
        if not now.fits(name, pod.request):
            for giver, victim in now.singles(name, pod):
                if resources.fits(victim.request, now.over(giver)):
                    yield f"{pod.key.name} of {name} waits for what {giver} holds too much"


def no_room_is_idle_that_a_pod_could_use(now: SceneFigures) -> Iterable[str]:
    """While a pod within min waits, or the head of a queue within the runtime of its quota, idle
    room is for the first such pod only.
    """
    waiting = list(now.unstopped())
    if any(now.owed()) or any(now.is_due(name, pod) for name, pod in waiting):
        return
    for name, pod in waiting:
        if now.fits_limits(name, pod.request):
            yield f"{pod.key.name} of {name} waits, and there is room"


def no_lower_pod_blocks_a_higher_one_of_its_quota(now: SceneFigures) -> Iterable[str]:
    """Except where another quota's pod within its runtime would take the room, or where the quota
    exceeds its runtime by more than the pod's request: then it is reclaimed first.
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


def no_quota_keeps_pods_beyond_max(now: SceneFigures) -> Iterable[str]:
    """Except where that would cut into min, because a whole pod is larger than the surplus."""
    for name, pods in now.pods.items():
        held = now.held(name)
        for key in resources.exceeding(held, now.high[name]):
            for pod in pods:
                left = held[key] - pod.request.get(key, 0)
                if pod.uid not in now.stuck and now.low[name].get(key, 0) <= left < held[key]:
                    yield f"{name} holds {held[key]} {key} of max {now.high[name][key]}"
                    break


LAWS: tuple[Callable[[SceneFigures], Iterable[str]], ...] = (
    no_pod_within_min_waits_for_what_can_be_reclaimed,
    no_pod_waits_for_a_share_that_another_quota_holds,
    no_room_is_idle_that_a_pod_could_use,
    no_lower_pod_blocks_a_higher_one_of_its_quota,
    no_quota_keeps_pods_beyond_max,
)


def faults(scene: Scene) -> list[str]:
    """All violations of the laws."""
    now = SceneFigures(scene)
    assert not now.leaving, now.leaving
    return [fault for law in LAWS for fault in law(now)]
