"""The lists of a busy cluster, and the events of its pods.

Pods come from forty templates, as they do from Deployments and Jobs. Three of five run, the others
wait behind our gate, and together they request about one and a half times what the nodes offer.
"""

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

import msgspec

from benchmarks import manifests, pod_manifests, workloads
from benchmarks.manifests import Document
from elasticquota import names, resources
from elasticquota.resources import Resources


PAGE: Final = 500
"""Items per page, as controllers request them."""

BATCH: Final = 1000
"""Pods that are created, and deleted, together."""

_TEMPLATES: Final = 40
NODE: Final = {names.CPU: 32_000, names.MEMORY: 128 * workloads.GI, names.PODS: 110}
_DEVICES: Final = 8


@dataclass(frozen=True, slots=True)
class Nature:
    """What differs between pods; ``node`` is where it runs once it does."""

    quota: str
    template: int
    size: Resources
    node: str
    runs: bool


@dataclass(frozen=True, slots=True)
class Cluster:
    """The size of a cluster; about nine of ten quotas are leaves, and the leaves have the pods."""

    pods: int = 50_000
    nodes: int = 5_000
    quotas: int = 2_000

    @property
    def waiting(self) -> int:
        """Pods behind our gate."""
        return sum(not _runs(number) for number in range(self.pods))

    def pages(self) -> Iterator[tuple[str, bytes]]:
        """Every list, page by page: the plural of its kind, and its JSON."""
        yield from _pages("profiles", [self.profile()])
        yield from _pages("quotas", self._quotas())
        yield from _pages("nodes", (self.node(number) for number in range(self.nodes)))
        yield from _pages("pods", (self._pod(number) for number in range(self.pods)))

    def pod_events(self, pods: int) -> Iterator[tuple[bool, bytes]]:
        """The watch events of ``pods`` new pods: whether the pod is gone, and the pod.

        Each pod is created with our gate, ungated, started and at last deleted, a thousand at a
        time; the last thousand stays.
        """
        for first in range(0, pods, BATCH):
            numbers = range(self.pods + first, self.pods + min(first + BATCH, pods))
            made = {number: self.waiting_pod(number) for number in numbers}
            yield from ((False, _encode(document)) for document in made.values())
            for document in made.values():
                pod_manifests.release(document)
                yield False, _encode(document)
            for number, document in made.items():
                pod_manifests.start(document, node_name(number % self.nodes))
                yield False, _encode(document)
            if first + BATCH < pods:
                yield from ((True, _encode(document)) for document in made.values())

    def profile(self) -> Document:
        """The one profile, of all nodes."""
        return manifests.profile()

    def node(self, number: int) -> Document:
        """The node of that number."""
        return manifests.node(node_name(number), self.offered(number))

    def offered(self, number: int) -> Resources:
        """What a node offers; each has devices of one kind."""
        return {**NODE, workloads.EXTENDED[number % len(workloads.EXTENDED)]: _DEVICES}

    def nature(self, number: int) -> Nature:
        """The properties of the pod of that number."""
        leaves = self._leaves()
        leaf = leaves[number % len(leaves)]
        template = (leaf + number // len(leaves)) % _TEMPLATES
        node = node_name(number % self.nodes)
        return Nature(_quota_name(leaf), template, _SIZES[template], node, _runs(number))

    def _pod(self, number: int) -> Document:
        document = self.waiting_pod(number)
        nature = self.nature(number)
        if nature.runs:
            pod_manifests.release(document)
            pod_manifests.start(document, nature.node)
        return document

    def waiting_pod(self, number: int) -> Document:
        """The pod of that number with our gate."""
        nature = self.nature(number)
        return pod_manifests.waiting(number, nature.quota, nature.template, nature.size)

    def _leaves(self) -> range:
        """The quotas without children in ``workloads.fan``."""
        return range(max(0, self.quotas // 10 - 1), self.quotas)

    def _quotas(self) -> Iterator[Document]:
        """Half of the resources is guaranteed, and every quota has a max of four times its min."""
        offered = resources.add(*(self.offered(number) for number in range(self.nodes)))
        boundless = dict.fromkeys(offered, 2**53)
        yield manifests.quota(manifests.ROOT, names.ROOT_QUOTA, offered, boundless, is_parent=True)
        leaves = self._leaves()
        parents = workloads.fan(self.quotas)
        leaves_below = [int(number in leaves) for number in range(self.quotas)]
        for number in reversed(range(self.quotas)):
            if parents[number] != workloads.TOP:
                leaves_below[parents[number]] += leaves_below[number]
        for number, parent in enumerate(parents):
            share = {
                key: leaves_below[number] * (amount // (2 * len(leaves)))
                for key, amount in offered.items()
            }
            yield manifests.quota(
                _quota_name(number),
                manifests.ROOT if parent == workloads.TOP else _quota_name(parent),
                share,
                {key: 4 * max(1, amount) for key, amount in share.items()},
                is_parent=number not in leaves,
            )


def _runs(number: int) -> bool:
    return number % 5 < 3


def _quota_name(number: int) -> str:
    return f"team-{number:05}"


def node_name(number: int) -> str:
    return f"node-{number:05}"


def _sizes() -> list[Resources]:
    """What the pods of each template request; one of four requests devices."""
    chance = random.Random(_TEMPLATES)  # noqa: S311 - reproducible inputs, no secrets
    made: list[Resources] = []
    for number in range(_TEMPLATES):
        size = {
            names.CPU: chance.randrange(500, 9_200, 100),
            names.MEMORY: chance.randrange(1, 37) * workloads.GI,
        }
        if number % 4 == 0:
            device = workloads.EXTENDED[number // 4 % len(workloads.EXTENDED)]
            size[device] = chance.choice((1, 2, 4, 8))
        made.append(size)
    return made


_SIZES: Final = _sizes()


def _encode(document: Document) -> bytes:
    return msgspec.json.encode(document)


def _pages(plural: str, items: Iterable[Document]) -> Iterator[tuple[str, bytes]]:
    page: list[Document] = []
    for item in items:
        page.append(item)
        if len(page) == PAGE:
            yield plural, _list(page)
            page = []
    if page:
        yield plural, _list(page)


def _list(items: list[Document]) -> bytes:
    metadata = {"resourceVersion": "912345", "continue": ""}
    return _encode({"kind": "List", "apiVersion": "v1", "metadata": metadata, "items": items})
