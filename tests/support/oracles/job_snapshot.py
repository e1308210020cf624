"""A pool of jobs as the API server has it at one moment, added up in pods of one cpu.

Nothing is asked of the product. A job is admitted when it is not suspended and its annotation says
so; it holds its whole request until it is over. Only runtimes and admitted are the published ones.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Final, NamedTuple

from kubernetes.utils import quantity

import job_facts
from installation import NAMESPACE
from scenes import GATE, PREFIX, Pool, gates
from tree_snapshot_of import TreeState
from users import Document


_parse: Any = quantity.parse_quantity  # the official client has no types

MAX_JOBS: Final = "kube-queue/max-jobs"
HOME: Final = "kube-queue"
"""The namespace of queues."""

OVERDUE: Final = "it has been first for too long"
"""Part of the message of jobs behind a job that no other may pass any more."""

_PUBLISHED: Final = ("runtime", "admitted")

Claim = tuple[int, int]
"""Cpus, and jobs."""


class JobState(NamedTuple):
    """One job, as its object says."""

    kind: str
    name: str
    uid: str
    quota: str
    size: int
    created: str
    over: bool
    admitted: bool
    unit: Document
    """Empty: it has none."""
    open: int
    """How many of its pods were admitted, and have not ended."""

    @property
    def waits(self) -> bool:
        return not self.over and not self.admitted

    @property
    def claim(self) -> Claim:
        return (self.size, 1)

    def told(self, what: str) -> Any:
        """A field of the status of its unit."""
        return (self.unit.get("status") or {}).get(what)

    def __str__(self) -> str:
        return f"{self.kind} {self.name} ({self.size} pods in {self.quota})"


class PoolState(TreeState):
    """The state of a pool and of the tree below its root."""

    def __init__(self, pool: Pool) -> None:
        super().__init__(pool)
        admin = pool.admin
        root = pool.root_quota()
        quotas = [root, *admin.list("ElasticQuota", NAMESPACE)]
        self.quotas = {
            quota["metadata"]["name"]: quota for quota in quotas if _tree(quota) == _tree(root)
        }
        self.queues = {
            queue["metadata"]["name"]: queue
            for queue in admin.list("Queue", HOME)
            if queue["metadata"]["name"] in self.quotas
        }
        self.units = admin.list("QueueUnit", pool.namespace)
        found = [
            (kind, job) for kind in job_facts.MAKERS for job in admin.list(kind, pool.namespace)
        ]
        pods = admin.list("Pod", pool.namespace)
        self.leaving = [
            thing["metadata"]["name"]
            for thing in (*pods, *(job for _, job in found))
            if "deletionTimestamp" in thing["metadata"]
        ]
        opened = _opened(pods, [job for _, job in found])
        units = {unit["metadata"]["name"]: unit for unit in self.units}
        self.jobs = [
            _job(kind, job, units, opened) for kind, job in found if not job_facts.owner(job)
        ]

    @cached_property
    def leaves(self) -> list[str]:
        parents = {name for path in self.paths.values() for name in path[1:]}
        return sorted(self.quotas.keys() - parents)

    @cached_property
    def held(self) -> dict[str, Claim]:
        """By quota with all below it: the whole request of admitted jobs; of other jobs their open
        pods.
        """
        found = dict.fromkeys(self.quotas, (0, 0))
        for job in self.jobs:
            mine = job.claim if job.admitted else (job.open, 0)
            for name in self.paths[job.quota]:
                found[name] = _sum(found[name], mine)
        return found

    def bound(self, name: str, which: str) -> tuple[float, float]:
        """Cpus and jobs of ``min``, ``max`` or ``runtime``; of the root what the nodes offer."""
        quota = self.quotas[name]
        at_nodes = name == self._root and which == "max"
        part = quota["status"] if at_nodes or which in _PUBLISHED else quota["spec"]
        amounts = part.get("runtime" if at_nodes else which) or {}
        otherwise = "inf" if which in ("max", "runtime") else "0"
        cpus, jobs = (float(_parse(amounts.get(key, otherwise))) for key in ("cpu", MAX_JOBS))
        return (cpus, jobs)

    def policy(self, leaf: str) -> str:
        return str(self.queues[leaf]["spec"]["queuePolicy"])

    def rank(self, job: JobState) -> int:
        """Priority as its queue counts it."""
        return 0 if self.policy(job.quota) == "FIFO" else int(job.unit["spec"]["priority"])

    def line(self, leaf: str) -> list[JobState]:
        """The waiting jobs of a leaf, in the order of its queue."""

        def order(job: JobState) -> tuple[int, str, str]:
            return (-self.rank(job), job.created, job.uid)

        return sorted((job for job in self.jobs if job.quota == leaf and job.waits), key=order)

    def fits(self, job: JobState, which: str, without: JobState | None = None) -> bool:
        """Whether it fits on its whole path, if ``without`` goes."""
        return all(
            here <= most
            for name in self.paths[job.quota]
            for here, most in zip(
                self._with(job, without, name), self.bound(name, which), strict=True
            )
        )

    def _with(self, job: JobState, without: JobState | None, name: str) -> Claim:
        cpus, jobs = _sum(self.held[name], job.claim)
        gone = without is not None and name in self.paths[without.quota]
        return (cpus - without.size, jobs - 1) if without and gone else (cpus, jobs)

    def over(self, name: str) -> float:
        """Cpus beyond runtime."""
        return self.held[name][0] - self.bound(name, "runtime")[0]

    def candidates(self, leaf: str) -> Sequence[JobState]:
        """The jobs that may be admitted next: in a queue that blocks only the first one.

        The same applies where the first job has waited for too long; the messages of all jobs
        behind it say so.
        """
        first, *others = self.line(leaf) or (None,)
        if first is None or self.policy(leaf) == "Block":
            return [first] if first else []
        return [first, *(job for job in others if OVERDUE not in str(job.told("message")))]

    @cached_property
    def next(self) -> list[JobState]:
        """All candidates."""
        return [job for leaf in self.leaves for job in self.candidates(leaf)]


def _job(
    kind: str, job: Document, units: Mapping[str, Document], opened: Mapping[str, int]
) -> JobState:
    meta = job["metadata"]
    over, suspended = job_facts.is_over(kind, job), job_facts.is_suspended(kind, job)
    started = job_facts.phase(job).startswith("Dequeued")
    return JobState(
        kind=kind,
        name=meta["name"],
        uid=meta["uid"],
        quota=meta["labels"][job_facts.QUOTA],
        size=int(meta["labels"][job_facts.SIZE]),
        created=meta["creationTimestamp"],
        over=over,
        admitted=started and not over and not suspended,
        unit=units.get(f"{meta['name']}-{kind.lower()}-qu", {}),
        open=opened.get(meta["uid"], 0),
    )


def _opened(pods: Iterable[Document], jobs: Iterable[Document]) -> Counter[str]:
    """By uid of the outermost job, how many of its pods were admitted and have not ended."""
    outer = {job["metadata"]["uid"]: job_facts.owner(job) for job in jobs}
    found: Counter[str] = Counter()
    for pod in pods:
        if GATE not in gates(pod) and pod["status"]["phase"] in ("Pending", "Running"):
            uid = job_facts.owner(pod)
            found[outer.get(uid) or uid] += 1
    return found


def _tree(quota: Document) -> str:
    return str((quota["metadata"].get("labels") or {}).get(f"{PREFIX}tree-id", ""))


def _sum(one: Claim, other: Claim) -> Claim:
    return (one[0] + other[0], one[1] + other[1])
