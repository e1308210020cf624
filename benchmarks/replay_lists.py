"""A busy cluster in recorded bytes: the objects of ``cluster_lists`` as an API server wrote them.

One recorded pod becomes fifty thousand: its bytes are cut once wherever something differs (name,
uid, quota, amounts), and each pod consists of these pieces with its own texts between them. Quotas,
nodes and namespaces are few enough to be decoded and encoded.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

import msgspec

from benchmarks import cluster_lists, manifests, recording
from benchmarks.cluster_lists import Cluster, Nature
from elasticquota import names, resources


FIRST_VERSION: Final = 1_000_000
"""resourceVersion of the first object."""

_GATES: Final = re.compile(rb',"schedulingGates":\[[^]]*\]')


class Stencil:
    """A recorded object, and the places of the texts that differ."""

    def __init__(self, recorded: bytes, places: Mapping[str, str]) -> None:
        """``places``: what to insert -> a regular expression of the whole text that it replaces."""
        cuts = re.compile("|".join(f"(?P<{name}>{text})" for name, text in places.items()).encode())
        self._pieces: list[bytes] = []
        self._order: list[tuple[int, str]] = []
        start = 0
        for found in cuts.finditer(recorded):
            self._pieces.append(recorded[start : found.start()])
            self._order.append((len(self._pieces), str(found.lastgroup)))
            self._pieces.append(b"")
            start = found.end()
        self._pieces.append(recorded[start:])
        missing = places.keys() - {name for _, name in self._order}
        if missing:
            raise ValueError(f"the recording has no {', '.join(sorted(missing))}: record it again")

    def stamp(self, texts: Mapping[str, bytes]) -> bytes:
        """The object with these texts."""
        pieces = self._pieces
        for place, name in self._order:
            pieces[place] = texts[name]
        return b"".join(pieces)


_POD_PLACES: Final = {
    "name": r'(?<="name":")(?:waiting|running)-(?:plain|device)',
    "app": r"worker-00",
    "space": rf'(?<="namespace":"){recording.SPACE}',
    "uid": r'(?<=,"uid":")[-0-9a-f]{36}(?=","resourceVersion")',
    "version": r'(?<="resourceVersion":")[0-9]+',
    "quota": recording.QUOTA,
    "cpu": rf'(?<="cpu":"){recording.CPU // 1000}(?=")',
    "memory": r'(?<="memory":")123Gi(?=")',
}
_DEVICE_PLACES: Final = {
    "devices": rf'(?<="){re.escape(recording.DEVICE)}":"1(?=")',
    "device": rf"(?<=f:){re.escape(recording.DEVICE)}",
}
_NODE_PLACE: Final = {"node": rf'(?<="nodeName":"){recording.NODE}'}


class Pods:
    """The pods of a cluster as JSON, in the states of a pod's life."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._held: dict[str, Stencil] = {}
        self._released: dict[str, Stencil] = {}
        self._running: dict[str, Stencil] = {}
        for size, places in (("plain", _POD_PLACES), ("device", _POD_PLACES | _DEVICE_PLACES)):
            held = recorded(f"waiting-{size}")
            self._held[size] = Stencil(held, places)
            self._released[size] = Stencil(_GATES.sub(b"", held), places)
            self._running[size] = Stencil(recorded(f"running-{size}"), places | _NODE_PLACE)

    def all(self) -> Iterator[bytes]:
        """The pods that exist from the beginning."""
        for number in range(self._cluster.pods):
            nature = self._cluster.nature(number)
            state = self._running if nature.runs else self._held
            yield self._stamped(state, number, nature)

    def events(self, pods: int) -> Iterator[tuple[bytes, bytes]]:
        """Type and object: ``cluster_lists.Cluster.pod_events`` in recorded bytes."""
        for first in range(0, pods, cluster_lists.BATCH):
            numbers = range(first, min(first + cluster_lists.BATCH, pods))
            natures = [
                (self._cluster.pods + number, self._cluster.nature(self._cluster.pods + number))
                for number in numbers
            ]
            for kind, state in (
                (b"ADDED", self._held),
                (b"MODIFIED", self._released),
                (b"MODIFIED", self._running),
                (b"DELETED", self._running),
            ):
                if kind == b"DELETED" and numbers.stop == pods:
                    return  # the last thousand stays
                for number, nature in natures:
                    yield kind, self._stamped(state, number, nature)

    def _stamped(self, state: Mapping[str, Stencil], number: int, nature: Nature) -> bytes:
        written = resources.text(nature.size)
        device = next((key for key in written if key not in (names.CPU, names.MEMORY)), "")
        texts = {
            "name": b"worker-%02d-5d4f8c7b9-%06d" % (nature.template, number),
            "app": b"worker-%02d" % nature.template,
            "space": nature.quota.encode(),
            "uid": b"00000000-0000-4000-8000-%012d" % number,
            "version": b"%d" % (FIRST_VERSION + number),
            "quota": nature.quota.encode(),
            "node": nature.node.encode(),
            "cpu": written[names.CPU].encode(),
            "memory": written[names.MEMORY].encode(),
        }
        if not device:
            return state["plain"].stamp(texts)
        texts["device"] = device.encode()
        texts["devices"] = f'{device}":"{written[device]}'.encode()
        return state["device"].stamp(texts)


def lists(cluster: Cluster) -> dict[str, list[bytes]]:
    """The lists of everything but pods, by plural: each object as JSON."""
    made: dict[str, list[Any]] = {}
    for plural, page in replace(cluster, pods=0).pages():
        made.setdefault(plural, []).extend(msgspec.json.decode(page)["items"])
    spaces = [{"metadata": {"name": name}} for name in _spaces(made)]
    return {
        "namespaces": _like("namespaces", spaces),
        "nodes": _like("nodes", made["nodes"]),
        "elasticquotas": _like("elasticquotas", made["quotas"]),
        "elasticquotaprofiles": _like("elasticquotaprofiles", made["profiles"]),
    }


def _spaces(made: Mapping[str, list[Any]]) -> list[str]:
    return ["quotas", *(quota["metadata"]["name"] for quota in made["quotas"])]


def _like(plural: str, documents: list[Any]) -> list[bytes]:
    """The recorded object of a kind with the names, labels and amounts of each of these objects."""
    model = msgspec.json.decode(recorded(plural))
    written = []
    for number, document in enumerate(documents):
        own = document["metadata"]
        metadata = {
            **model["metadata"],
            **{key: own[key] for key in ("name", "namespace", "labels") if key in own},
            "uid": manifests.uid(own["name"]),
            "resourceVersion": str(FIRST_VERSION + number),
        }
        made = {**model, "metadata": metadata}
        if "spec" in document and plural != "nodes":
            made["spec"] = document["spec"]
        if plural == "nodes":
            offered = {key: document["status"][key] for key in ("capacity", "allocatable")}
            made["status"] = {**model["status"], **offered}
        written.append(msgspec.json.encode(made))
    return written


def recorded(name: str) -> bytes:
    """The file that ``recording`` wrote."""
    return (recording.FOLDER / f"{name}.json").read_bytes().rstrip()
