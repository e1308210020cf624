"""A pool at rest: what must be true of its live objects once nothing changes any more.

Everything is added up here from the objects of the API server, in whole pods of one cpu each. Only
the runtimes are the published ones. ``not_as_published`` checks these: it computes a new ledger
from nothing and compares every figure of every status.
"""

import itertools
import time
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any

from kubernetes.utils import quantity

from elasticquota.decisions import decide
from elasticquota.forecast import expectation
from elasticquota.ledger.ledger import Ledger
from elasticquota.model import reason_code
from elasticquota.status import quota_status
from elasticquota.wire.codec import merge
from elasticquota.wire.quota import statuses
from elasticquota_config.model import Configuration
from elasticquota_operator.informers import ledger_handlers
from elasticquota_operator.writers import exact_positions
from installation import NAMESPACE
from scenes import GATE, PREFIX, Pool, condition, gates
from tree_snapshot_of import TreeState
from users import Document


_parse: Any = quantity.parse_quantity  # the official client has no types

POLICY = Configuration().policy(NAMESPACE)

GUARDED = "guarded"
"""Label of the pods that a disruption budget protects."""
HOW = ("once", "twice")
"""By how many budgets: the eviction API answers 429 for one and 500 for two."""


class PoolState(TreeState):
    """The state of a pool; its quotas are the leaves and parents below its root."""

    def __init__(self, pool: Pool) -> None:
        super().__init__(pool)
        admin = pool.admin
        self.documents: dict[str, list[Document]] = {
            kind: admin.list(kind) for kind in ("Namespace", "Node", "ElasticQuotaProfile")
        }
        self.documents["ElasticQuota"] = admin.list("ElasticQuota")
        self.documents["Pod"] = admin.list("Pod")
        self.quotas = {
            quota["metadata"]["name"]: quota
            for quota in self.documents["ElasticQuota"]
            if quota["metadata"]["namespace"] == pool.namespace
        }
        pods = [
            pod
            for pod in self.documents["Pod"]
            if pod["metadata"]["namespace"] == pool.namespace
            and pod["status"]["phase"] in ("Pending", "Running")
        ]
        self.leaving = [pod for pod in pods if "deletionTimestamp" in pod["metadata"]]
        staying = [pod for pod in pods if "deletionTimestamp" not in pod["metadata"]]
        self.waiting = _by_quota(pod for pod in staying if GATE in gates(pod))
        self.admitted = _by_quota(pod for pod in staying if GATE not in gates(pod))

    @cached_property
    def held(self) -> dict[str, int]:
        """Admitted pods of each quota and of all below it."""
        found = dict.fromkeys(self.quotas, 0)
        for name, pods in self.admitted.items():
            for place in self.paths[name]:
                found[place] += len(pods)
        return found

    def bound(self, name: str, which: str) -> float:
        """Cpus of ``min``, ``max`` or ``runtime``; a missing max is infinite."""
        quota = self.quotas[name]
        amounts = (quota["status"] if which == "runtime" else quota["spec"]).get(which) or {}
        return float(_parse(amounts["cpu"])) if "cpu" in amounts else float("inf")

    def over(self, name: str) -> float:
        return self.held[name] - self.bound(name, "runtime")

    def fits(self, name: str, which: str = "runtime", without: str = "") -> bool:
        """Whether one more pod fits on the path, if one of the quota ``without`` goes."""
        gone = self.paths[without] if without else []
        return all(
            self.held[place] - (place in gone) + 1 <= self.bound(place, which)
            for place in self.paths[name]
        )

    def givers(self, taker: str, least: float) -> Iterable[str]:
        """Quotas that hold ``least`` too much, where one pod less would admit one of ``taker``."""
        for name, pods in self.admitted.items():
            if (
                name != taker
                and self.over(name) >= least
                and self.held[name] - 1 >= self.bound(name, "min")
                and any(map(_movable, pods))
                and self.fits(taker, without=name)
            ):
                yield name


def no_pod_waits_while_there_is_room(now: PoolState) -> Iterable[str]:
    for name in now.waiting:
        if now.fits(name):
            yield f"{name} holds {now.held[name]} and waits within {now.bound(name, 'runtime')}"


def no_pod_within_min_waits_for_what_can_be_reclaimed(now: PoolState) -> Iterable[str]:
    for name in now.waiting:
        if now.held[name] + 1 <= min(now.bound(name, "min"), now.bound(name, "runtime")):
            for giver in now.givers(name, least=0.001):
                yield f"{name} holds {now.held[name]} of its min and waits for what {giver} has"


def no_pod_waits_for_a_share_that_another_quota_holds(now: PoolState) -> Iterable[str]:
    for name in now.waiting:
        if now.held[name] + 1 <= now.bound(name, "runtime"):
            for giver in now.givers(name, least=1):
                yield f"{name} holds {now.held[name]} of its share and waits for what {giver} has"


def no_lower_pod_blocks_a_higher_one_of_its_quota(now: PoolState) -> Iterable[str]:
    """Except where the quota holds too much, or a pod of another quota would take the room."""
    for name, pods in now.waiting.items():
        highest = max(pod["spec"]["priority"] for pod in pods)
        lower = [
            pod
            for pod in now.admitted.get(name, ())
            if pod["spec"]["priority"] < highest and _movable(pod)
        ]
        rivals = (other for other in now.waiting if other != name and now.fits(other, without=name))
        if lower and now.over(name) < 1 and now.fits(name, without=name) and not any(rivals):
            yield f"{name} lets {lower[0]['metadata']['name']} run, and a more important pod wait"


def no_quota_exceeds_its_max(now: PoolState) -> Iterable[str]:
    """Except where only pods are left that a budget protects or that are within min."""
    for name in now.quotas:
        if now.held[name] <= now.bound(name, "max"):
            continue
        for leaf, pods in now.admitted.items():
            could = now.held[leaf] - 1 >= now.bound(leaf, "min") and any(map(_movable, pods))
            if name in now.paths[leaf] and could:
                yield f"{name} holds {now.held[name]} of max {now.bound(name, 'max')}"
                break


def every_pod_is_accounted(now: PoolState) -> Iterable[str]:
    """The root's status counts as many admitted and waiting pods as exist."""
    told = now.quotas[now.paths[next(iter(now.paths))][-1]]["status"]["pods"]
    there = {
        "admitted": sum(map(len, now.admitted.values())),
        "gated": sum(map(len, now.waiting.values())),
    }
    if told != there:
        yield f"there are {there}, and the root says {told}"


def rebuilt(now: PoolState) -> Ledger:
    """The ledger of a process that has just read the live objects."""
    ledger = Ledger()
    feeds: dict[str, ledger_handlers.LedgerHandler[Any, Any]] = {
        "Namespace": ledger_handlers.of_namespaces(ledger, _wake_nothing),
        "Node": ledger_handlers.of_nodes(ledger, _wake_nothing),
        "ElasticQuotaProfile": ledger_handlers.of_profiles(ledger, _wake_nothing),
        "ElasticQuota": ledger_handlers.of_quotas(ledger, _wake_nothing),
        "Pod": ledger_handlers.of_pods(ledger, _wake_nothing),
    }
    for kind, feed in feeds.items():
        for document in now.documents[kind]:
            feed.upsert_manifest(document)
    ledger.set_time(int(time.time() * 1000))
    return ledger


def _without_forecasts(status: Mapping[str, Any]) -> dict[str, Any]:
    """A status as ``statuses`` writes it: what is learnt from the past is not in the objects."""
    learnt = ("waitEstimate", "turnover", "history", "hours", "metering")
    return {**{key: each for key, each in status.items() if key not in learnt}, "conditions": None}


def not_as_published(now: PoolState) -> Iterable[str]:
    """Every figure equals that of a ledger which is built again from the live objects."""
    ledger = rebuilt(now)
    books = ledger.update(POLICY.accounting)
    for status in quota_status.statuses(ledger, books):
        if status.key.name in now.quotas:
            told = _without_forecasts(now.quotas[status.key.name]["status"])
            wanted = {**statuses.quota_status(status), "conditions": None}
            differs = merge.difference(told, wanted)
            if differs:
                yield f"{status.key.name} says otherwise than {differs}"


def wrong_messages(pool: Pool) -> list[str]:
    """Messages of waiting pods that differ from what would be written now, with both texts.

    When a pod is expected to start is not compared. Far back in a queue only the reason has to be
    right.
    """
    now = PoolState(pool)
    decisions = decide.decide(rebuilt(now), int(time.monotonic() * 1000), POLICY)
    wanted = {wait.uid: wait for wait in decisions.waits}
    found: list[str] = []
    for pod in itertools.chain.from_iterable(now.waiting.values()):
        wait = wanted.get(pod["metadata"]["uid"])
        said = condition(pod, "PodScheduled").get("message", "")
        if wait is not None and exact_positions.has(wait.place):
            right = expectation.is_said(wait, said)
        else:
            right = wait is not None and reason_code.at_end(said) == wait.reason
        if not right:
            meant = "that it is admitted" if wait is None else wait.message
            found.append(f"{pod['metadata']['name']} reads {said!r} instead of {meant!r}")
    return found


LAWS: tuple[Callable[[PoolState], Iterable[str]], ...] = (
    no_pod_waits_while_there_is_room,
    no_pod_within_min_waits_for_what_can_be_reclaimed,
    no_pod_waits_for_a_share_that_another_quota_holds,
    no_lower_pod_blocks_a_higher_one_of_its_quota,
    no_quota_exceeds_its_max,
    every_pod_is_accounted,
    not_as_published,
)


def faults(pool: Pool) -> list[str]:
    """All violations of the laws; also whether something still changes."""
    now = PoolState(pool)
    if now.leaving:
        return [f"{len(now.leaving)} pods are on their way out"]
    return [fault for law in LAWS for fault in law(now)]


def _by_quota(pods: Iterable[Document]) -> dict[str, list[Document]]:
    found: dict[str, list[Document]] = {}
    for pod in pods:
        found.setdefault(pod["metadata"]["labels"][f"{PREFIX}name"], []).append(pod)
    return found


def _movable(pod: Document) -> bool:
    return GUARDED not in pod["metadata"]["labels"]


def _wake_nothing() -> None:
    """The oracle needs no callback after a change."""
