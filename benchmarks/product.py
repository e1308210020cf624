"""Everything that the benchmarks use of the product, in one place.

Four parts: one tree that is solved (``built`` and the functions with a ``Handle``), the ledger that
takes documents and values and decides, the search for victims alone, and external objects that
become quotas.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from benchmarks.workloads import Workload
from elasticquota import names
from elasticquota.decisions import decide
from elasticquota.decisions.cycle_cache import CycleCache
from elasticquota.forest import acceptance
from elasticquota.forest.structure import Forest, Tree
from elasticquota.integrations import capacity, source_status
from elasticquota.integrations.ack import trees as ack
from elasticquota.integrations.translation import sync
from elasticquota.integrations.translation.translation import NOTHING, Translation
from elasticquota.integrations.yunikorn import queues as yunikorn_queues
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.clocks import Clocks
from elasticquota.model.decision import Decisions, Eviction
from elasticquota.model.pod import Pod
from elasticquota.resources import Resources
from elasticquota.scheduling.admission.admit import Admission
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.scheduling.preemption.reclaim import Reclaim
from elasticquota.scheduling.preemption.targets import PreemptionTargets
from elasticquota.scheduling.queue.inadmissible import InadmissibleQueues
from elasticquota.scheduling.snapshot.nodes.expected_pods import ExpectedPods
from elasticquota.scheduling.snapshot.tree_snapshot import TreeSnapshot
from elasticquota.sharing.runtime import Runtimes
from elasticquota.wire.codec import yaml_text
from elasticquota.wire.codec.metadata import SpecManifest, StatusManifest
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
    """Prepare everything that does not depend on requests."""
    forest = acceptance.build(workload.quotas)
    tree = forest.trees[names.DEFAULT_TREE]
    handle = Handle(tree, forest, workload.own_request, workload.available, Runtimes(tree, forest))
    handle.runtimes.set_capacity(handle.available)
    solve_all(handle)
    return handle


def solve_all(handle: Handle) -> None:
    """Recompute all runtimes from the leaves' requests."""
    handle.runtimes.set_requests(handle.own_request)
    handle.runtimes.settle()


def pod_event(handle: Handle, quota: str, request: Resources) -> Resources:
    """Set the request of a leaf's pods to ``request``; all runtimes are current afterwards.

    Returns the leaf's own runtime, to show that it can be read.
    """
    handle.runtimes.set_request(quota, request)
    handle.runtimes.settle()
    return handle.runtimes.runtime(quota)


def read_runtimes(handle: Handle) -> Mapping[str, Resources]:
    """The runtime of every quota of the workload, by name."""
    return {
        name: handle.runtimes.runtime(name)
        for name in handle.tree.order
        if name not in names.RESERVED_QUOTAS
    }


_POLICY: Final = Policy()
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
    """What the pods of a quota and of all quotas below it use, according to the ledger."""
    balance = ledger.update(Policy().accounting)
    tree = balance.trees[balance.forest.tree_of[quota]]
    return tree.used[quota]


def standing(ledger: Ledger) -> object:
    """Compute all that the ledger keeps between two decisions; hold the result to keep it."""
    return ledger.update(Policy().accounting)


def decision(
    ledger: Ledger, notes: CycleCache | None = None, policy: Policy = _POLICY
) -> Decisions:
    """Decide; with ``notes`` as the controller does, each time with the same notes."""
    found = decide.decide(ledger, 0, policy, notes)
    if notes is not None:
        ledger.remember(found.clocks)
    return found


@dataclass(frozen=True, slots=True)
class Search:
    """A tree whose waiting pods are still to be considered, one after the other."""

    targets: PreemptionTargets
    admission: Admission
    reclaim: Reclaim


def search(ledger: Ledger, tree_id: str, most: int) -> Search:
    """Prepare a search for victims in a tree of the ledger, for at most ``most`` of them."""
    policy = Policy(grace=0, delay=0)
    books = ledger.update(policy.accounting)
    tree = books.trees[tree_id]
    snapshot = TreeSnapshot(books, tree, (), ExpectedPods(Clocks(), 0, books.time))
    inadmissible = InadmissibleQueues()
    inadmissible.follow(books, tree, tree.tree.order, frozenset())
    targets = PreemptionTargets(snapshot, most)
    return Search(
        targets,
        Admission(snapshot, frozenset(), frozenset(), inadmissible, policy),
        Reclaim(targets, inadmissible.over, Clocks(), policy, 0),
    )


def victims(found: Search) -> list[Eviction]:
    """The victims; a search can be run once."""
    found.admission.admit_all(found.reclaim.make_room, {})
    evictions = found.targets.evictions(found.reclaim.over)
    return [one for victim in evictions for one in victim]


KEPT_FOR: Final = "ack"
"""The mark of its quotas."""

_OBJECT: Final = msgspec.json.Decoder(SpecManifest)
_STATED: Final = msgspec.json.Decoder(StatusManifest)


def read_object(document: bytes) -> SpecManifest:
    """An object of an external system's kind, as the API server returns it."""
    return _OBJECT.decode(document)


def read_queues(text: str) -> Any:
    """The one document of a ``queues.yaml``."""
    (found,) = yaml_text.documents(text)
    return found


def from_tree(tree: SpecManifest) -> Translation:
    return ack.translate([ack_trees.read(tree)])


class Follower:
    """The controller's state for the one ElasticQuotaTree and the quotas made from it."""

    def __init__(self) -> None:
        self._tree: QuotaTree | None = None
        self._made = NOTHING
        self._plan = sync.NO_PLAN

    @property
    def told(self) -> Mapping[str, Any]:
        """The status of the tree before there are figures."""
        trees = [] if self._tree is None else [self._tree]
        (told,) = source_status.trees(trees, self._made, (), {})
        return told.document()

    def take(self, tree: StatusManifest) -> None:
        """Store a new or changed tree."""
        self._tree = ack_trees.read(tree)
        self._made = ack.translate([self._tree])

    def steps(self, ledger: Ledger) -> Sequence[sync.Step]:
        """The writes that are due."""
        made, stored = self._made, ledger.quotas.values()
        self._plan = sync.plan(KEPT_FOR, made.quotas, stored, made.waiting, before=self._plan)
        return self._plan.steps


def read_event(line: bytes) -> StatusManifest:
    """The ElasticQuotaTree in a line of its watch."""
    return _STATED.decode(watch_lines.parse(line).content)


def from_queues(document: Any) -> Translation:
    return yunikorn_queues.translate(queues.read(document), ())


def from_capacity(objects: Iterable[SpecManifest]) -> Translation:
    return capacity.translate(capacity_quotas.read(each) for each in objects)
