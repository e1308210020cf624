"""Follows three values through the running controller and writes which functions they pass.

    PYTHONPATH=operator:webhooks:tools:tests/support:tests/support/component \
        python -m evidence.walks FILE

The controller runs on the double of the API server, with one node, one team and one pod. The file
gets one line per stay: walk, file, function, whether the value is only handed on, and what the
docstring of the file says first.
"""

import asyncio
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

import small_cluster
from api_double import ApiDouble
from api_double.waiting import until
from elasticquota import names
from elasticquota_kube.client import paths
from evidence import trace
from evidence.trace import Stay, Trace


ROOT: Final = Path(names.__file__).parents[2]
ROOTS: Final = (ROOT / "operator", ROOT / "webhooks")
QUIET: Final = 4.0
"""Seconds in which the controller writes everything that follows from the last change."""


class Walk(NamedTuple):
    """A value, by a text that only it contains, and the part of the trace that is its way."""

    name: str
    text: str
    start: Callable[[ApiDouble], None]
    arrived: Callable[[ApiDouble], object]
    first: str
    """The function in which the way begins; empty: the first of all."""
    last: tuple[str, ...]
    """Functions that are passed one after the other until the way ends in the last of them."""


def _bind(double: ApiDouble) -> None:
    """As the scheduler does."""
    double.edit(paths.PODS, "team", "p-walk", lambda pod: pod["spec"].update(nodeName="n-1"))


def _raise_min(double: ApiDouble) -> None:
    def change(quota: dict[str, Any]) -> None:
        quota["spec"]["min"] = {"cpu": "5555m"}

    double.edit(paths.QUOTAS, "team", "team", change)


def _lend_nothing(double: ApiDouble) -> None:
    """So that the min decides the runtime of a team that asks for less."""

    def change(quota: dict[str, Any]) -> None:
        quota["metadata"]["labels"][names.ALLOW_LENT] = "false"

    double.edit(paths.QUOTAS, "team", "team", change)


def _runtime(double: ApiDouble) -> str:
    return str(double.object(paths.QUOTAS, "team", "team")["status"]["runtime"]["cpu"])


WALKS: Final = (
    Walk(
        "release",
        "p-walk",
        lambda double: small_cluster.pod(double, "p-walk", "1234m"),
        lambda double: not small_cluster.gated(double),
        "upsert_pod",
        ("patch", "send"),
    ),
    Walk(
        "request",
        "1234",
        _bind,
        lambda double: small_cluster.summary(double, "team")["cpu"].startswith("1.23/"),
        "",
        ("_counted", "_change"),
    ),
    Walk(
        "min",
        "5555",
        _raise_min,
        lambda double: _runtime(double) == "5555m",
        "",
        ("share",),
    ),
)


async def record() -> dict[str, list[Stay]]:
    """The stays of each walk, from its first function to its last."""
    found = {}
    async with ApiDouble() as double:
        for name in ("team", "operator"):
            double.put(paths.NAMESPACES, {"metadata": {"name": name}})
        small_cluster.pool(double)
        small_cluster.team(double)
        async with small_cluster.controller(double, "one", _free_port()):
            await until(lambda: small_cluster.summary(double, "team").get("cpu"), within=10)
            for walk in WALKS:
                if walk.name == "min":
                    _lend_nothing(double)
                await asyncio.sleep(QUIET)
                traced = Trace(walk.text, ROOTS)
                with traced.on():
                    walk.start(double)
                    await until(lambda walk=walk: walk.arrived(double), within=30)  # type: ignore[misc]
                found[walk.name] = _cut(traced.stays, walk)
    return found


def _cut(stays: list[Stay], walk: Walk) -> list[Stay]:
    functions = [stay.function.rpartition(".")[2] for stay in stays]
    first = functions.index(walk.first) if walk.first else 0
    last = first
    for function in walk.last:
        last = functions.index(function, last)
    return stays[first : last + 1]


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def main(file: str) -> None:
    """Record all walks and write them."""
    rows = [
        (name, stay.file, stay.function, "handed" if stay.handed else "", _says(stay.file))
        for name, stays in asyncio.run(record()).items()
        for stay in stays
    ]
    Path(file).write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")


def _says(file: str) -> str:
    return next(trace.first_sentence(root / file) for root in ROOTS if (root / file).exists())


if __name__ == "__main__":
    main(*sys.argv[1:])
