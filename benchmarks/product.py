"""Everything the benchmarks ask of the product, in one place.

Four parts: one tree that is solved (``built`` and what takes a ``Handle``), the ledger that takes
documents and values and decides, the search for victims alone, and neighbours' objects that become
quotas.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from benchmarks.workloads import Workload
from elasticquota import names
from elasticquota.forest import acceptance
from elasticquota.forest.structure import Forest, Tree
from elasticquota.integrations import capacity
from elasticquota.integrations.ack import trees as ack
from elasticquota.integrations.translation import assembly, source_status, sync
from elasticquota.integrations.translation.translation import Translation
from elasticquota.integrations.yunikorn import queues as yunikorn_queues
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.decision import Clocks, Decisions, Eviction
from elasticquota.model.pod import Pod
from elasticquota.resources import Resources
from elasticquota.scheduling import decide
from elasticquota.scheduling.admission import admit
from elasticquota.scheduling.policy import Policy
from elasticquota.scheduling.preemption import reclaim
from elasticquota.scheduling.preemption.targets import PreemptionTargets
from elasticquota.scheduling.queue.inadmissible import InadmissibleQueues
from elasticquota.scheduling.round_cache import RoundCache
from elasticquota.scheduling.snapshot.tree_snapshot import TreeSnapshot
from elasticquota.sharing.runtime import Runtimes
from elasticquota.wire.codec import yaml_text
from elasticquota.wire.codec.metadata import ClosedManifest, SpecManifest
from elasticquota.wire.integrations import ack_trees, capacity_quotas, queues
from elasticquota.wire.integrations.ack_trees import QuotaTree
from elasticquota.wire.kubernetes import nodes, pods
from elasticquota.wire.quota import profiles, quotas
from elasticquota_kube.client import api
from elasticquota_kube.informer import watch_lines


@dataclass(slots=True)
class Handle:
    """A tree ready to be solved, and its last runtimes."""

    tree: Tree
    forest: Forest
    own_request: Mapping[str, Resources]
    available: Resources
    runtimes: Runtimes


def built(workload: Workload) -> Handle:
    """Everything that does not change with requests is made here."""
    forest = acceptance.build(workload.quotas)
    tree = forest.trees[names.DEFAULT_TREE]
    handle = Handle(tree, forest, workload.own_request, workload.available, Runtimes(tree, forest))
    handle.runtimes.offer(handle.available)
    solve_all(handle)
    return handle


def solve_all(handle: Handle) -> None:
    """All runtimes anew from what the leaves ask for."""
    handle.runtimes.ask_all(handle.own_request)
    handle.runtimes.settle()


def pod_event(handle: Handle, quota: str, request: Resources) -> Resources:
    """``request`` is what this leaf's pods ask for now. All runtimes are current afterwards.

    The return is the leaf's own, to show that it can be read.
    """
    handle.runtimes.ask(quota, request)
    handle.runtimes.settle()
    return handle.runtimes.runtime(quota)


def read_runtimes(handle: Handle) -> Mapping[str, Resources]:
    """Of every quota of the workload, by name."""
    return {
        name: handle.runtimes.runtime(name)
        for name in handle.tree.order
        if name not in names.RESERVED_QUOTAS
    }


_POD: Final = msgspec.json.Decoder(pods.PodManifest)
_KINDS: Final[Mapping[str, tuple[type, Any, Any]]] = {
    "pods": (pods.PodManifest, pods.read, Ledger.upsert_pod),
    "nodes": (nodes.NodeManifest, nodes.read, Ledger.upsert_node),
    "quotas": (quotas.QuotaManifest, quotas.read, Ledger.upsert_quota),
    "profiles": (profiles.ProfileManifest, profiles.read, Ledger.upsert_profile),
}


def take_page(ledger: Ledger, plural: str, page: bytes) -> None:
    """Put the objects of one page of a list into the ledger."""
    kind, read, put = _KINDS[plural]
    for manifest in api.read_page(page, kind).items or ():
        put(ledger, read(manifest))


def take_documents(ledger: Ledger, events: Iterable[tuple[bool, bytes]]) -> None:
    """Pod events as JSON: whether the pod is gone, and the pod."""
    for gone, document in events:
        manifest = _POD.decode(document)
        if gone or manifest.finished:
            ledger.delete_pod(manifest.metadata.key)
        else:
            ledger.upsert_pod(pods.read(manifest))


def take_values(ledger: Ledger, events: Iterable[tuple[bool, Pod]]) -> None:
    """Pod events as values."""
    for gone, pod in events:
        if gone:
            ledger.delete_pod(pod.key)
        else:
            ledger.upsert_pod(pod)


def read_pod(document: bytes) -> Pod:
    return pods.read(_POD.decode(document))


def used(ledger: Ledger, quota: str) -> Resources:
    """What the pods of a quota and of all below hold, as the ledger has it."""
    balance = ledger.balance(Policy().accounting)
    tree = balance.trees[balance.forest.tree_of[quota]]
    return tree.used[quota]


def standing(ledger: Ledger) -> object:
    """Bring about all that the ledger keeps between two decisions; hold the return to keep it."""
    return ledger.balance(Policy().accounting)


def decision(ledger: Ledger, notes: RoundCache | None = None) -> Decisions:
    """With ``notes`` as the controller decides, each time with the same ones."""
    found = decide.decide(ledger, 0, Policy(), notes)
    if notes is not None:
        ledger.remember(found.clocks)
    return found


@dataclass(frozen=True, slots=True)
class Search:
    """One tree's admissions are booked; what is left is who has to give back."""

    wave: PreemptionTargets
    blocked: Sequence[tuple[str, Pod]]
    without_node: Sequence[tuple[str, Pod]]
    over: Mapping[str, Resources]
    policy: Policy


def search(ledger: Ledger, tree_id: str, most: int) -> Search:
    """Bring a tree of the ledger to where victims are looked for, at most ``most``."""
    policy = Policy(grace=0, delay=0, max_in_flight=most)
    books = ledger.balance(policy.accounting)
    tree = books.trees[tree_id]
    room, inadmissible = TreeSnapshot(books, tree), InadmissibleQueues()
    inadmissible.follow(books, tree, None, frozenset())
    admission = admit.Admission(books, tree, room, frozenset(), frozenset(), inadmissible)
    admission.serve()
    return Search(
        PreemptionTargets(books, tree, room, most),
        admission.blocked,
        admission.without_node,
        inadmissible.over,
        policy,
    )


def victims(found: Search) -> list[Eviction]:
    """Who has to go; a search can be made once."""
    reclaim.reclaim(
        found.wave, found.blocked, found.without_node, found.over, Clocks(), found.policy, 0
    )
    return found.wave.evictions()


KEPT_FOR: Final = "ack"
"""As it stands in the mark of its kept quotas."""

_OBJECT: Final = msgspec.json.Decoder(SpecManifest)
_CLOSED: Final = msgspec.json.Decoder(ClosedManifest)


def read_object(document: bytes) -> SpecManifest:
    """An object of a neighbour's kind, as it comes from the API server."""
    return _OBJECT.decode(document)


def read_queues(text: str) -> Any:
    """The one document of a ``queues.yaml``."""
    (found,) = yaml_text.documents(text)
    return found


def from_tree(tree: SpecManifest) -> Translation:
    return ack.translate([ack_trees.read(tree)])


class Follower:
    """What the controller knows of the one ElasticQuotaTree, and of the quotas kept for it."""

    def __init__(self) -> None:
        self._tree: QuotaTree | None = None
        self._assembly = assembly.NOTHING
        self._plan = sync.NO_PLAN

    @property
    def told(self) -> Mapping[str, Any]:
        """What stands in the status of the tree before there are figures."""
        trees = [] if self._tree is None else [self._tree]
        (told,) = source_status.trees(trees, self._assembly.translation, (), {})
        return told.document()

    def take(self, tree: ClosedManifest) -> None:
        """It comes, or comes again."""
        self._tree = ack_trees.read(tree, self._tree)
        self._assembly = ack.assemble([self._tree], ack.HOME, {}, {}, self._assembly)

    def steps(self, ledger: Ledger) -> Sequence[sync.Step]:
        """What is to be written."""
        made, stored = self._assembly.translation, ledger.quotas.values()
        self._plan = sync.plan(KEPT_FOR, made.quotas, stored, made.waiting, before=self._plan)
        return self._plan.steps


def read_event(line: bytes) -> ClosedManifest:
    """The ElasticQuotaTree of a line of its watch."""
    return _CLOSED.decode(watch_lines.parse(line).content)


def from_queues(document: Any) -> Translation:
    return yunikorn_queues.translate(queues.read(document), ())


def from_capacity(objects: Iterable[SpecManifest]) -> Translation:
    return capacity.translate(capacity_quotas.read(each) for each in objects)
