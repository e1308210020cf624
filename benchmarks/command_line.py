"""How fast the command line starts: the help of each verb, its first request, and its answer.

    PYTHONPATH=operator:tests/support python -m benchmarks.command_line

``user`` is processor time, which other programs on the machine change little; ``wall`` is the time
that a user waits. Medians of eleven turns after one that fills the caches. Modules are compiled
before, as ``pip install`` does; with ``PYTHONDONTWRITEBYTECODE`` each start would compile them.
A verb that does not end as it should ends the benchmark, because an error is faster than an answer.
"""

import atexit
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Final, NamedTuple

from elasticquota_cli.verbs import VERBS


_TURNS: Final = 11
_GOAL: Final = 0.35
_PROGRAM: Final = (str(Path(sys.executable).with_name("elastic-quota")),)
_STARTS: Final = (
    ("tree",),
    ("explain", "quota", "team-a"),
    ("why", "web"),
    ("pending",),
    ("top",),
    ("history",),
    ("usage",),
    ("doctor",),
    ("pause", "quota", "team-a"),
    ("resume", "quota", "team-a"),
    ("observe", "on", "pool-root"),
    ("release", "--all"),
    ("plan", "-f", "examples/simulate/cluster.yaml"),
)
_LIVE: Final = (("tree",), ("pending",), ("top",), ("history",), ("usage",))
_NOT_FOUND: Final = (("why", "web"), ("explain", "quota", "team-a"), ("pause", "quota", "team-a"))
"""Their answer is that the cluster has no such object."""
_COMPILED: Final = tempfile.mkdtemp(prefix="elastic-quota-")
_ENVIRONMENT: Final = {
    **{key: text for key, text in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"},
    "PYTHONPYCACHEPREFIX": _COMPILED,
}


class _Case(NamedTuple):
    title: str
    words: Sequence[str]
    code: int = 0
    says: str = ""
    """What is in its output when it does what it should."""


def main() -> None:
    atexit.register(shutil.rmtree, _COMPILED, ignore_errors=True)
    print(f"{'what':28}{'wall, s':>10}{'user, s':>10}   goal {_GOAL} s")
    for case in _cases():
        turns = [_turn(case) for _ in range(_TURNS + 1)]
        wall, user = (statistics.median(each[1:]) for each in zip(*turns, strict=True))
        print(f"{case.title:28}{wall:10.3f}{user:10.3f}", flush=True)


def _cases() -> Iterator[_Case]:
    for verb in VERBS:
        yield _Case(f"{verb.name} --help", (verb.name, "--help"), says="usage")
    yield _Case("simulate, two teams", ("simulate", "-f", "examples/simulate/cluster.yaml"))
    for reads in (("simulate",), ("import", "ack")):
        words = (*reads, "-f", "missing.yaml")
        yield _Case(f"{reads[0]}, until it reads", words, 2, "missing.yaml")
    with _kubeconfig("http://127.0.0.1:1") as unanswered:
        for words in _STARTS:
            asks = (*words, "--kubeconfig", unanswered)
            yield _Case(f"{words[0]}, until it asks", asks, 1, "no connection")
    with _api_server(_Empty) as address:
        for words in _LIVE:
            yield _Case(f"{words[0]}, until the answer", (*words, "--kubeconfig", address))
        for words in _NOT_FOUND:
            asks = (*words, "--kubeconfig", address)
            yield _Case(f"{words[0]}, until the answer", asks, 1, words[-1])
    with _api_server(_ForTenants) as address:
        asks = ("explain", "quota", "team-a", "--kubeconfig", address)
        yield _Case("explain, of a tenant", asks, 1, "team-a")


@contextmanager
def _api_server(answers: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    """An API server in which nothing exists; yields the path of a kubeconfig for it."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), answers)
    Thread(target=server.serve_forever, daemon=True).start()
    with _kubeconfig(f"http://127.0.0.1:{server.server_port}") as path:
        yield path
    server.shutdown()


@contextmanager
def _kubeconfig(server: str) -> Iterator[str]:
    """The path of a kubeconfig for ``server``."""
    config = {
        "current-context": "here",
        "clusters": [{"name": "here", "cluster": {"server": server}}],
        "users": [{"name": "here", "user": {"token": "any"}}],
        "contexts": [{"name": "here", "context": {"cluster": "here", "user": "here"}}],
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "kubeconfig")
        path.write_text(json.dumps(config))
        yield str(path)


class _Empty(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.answer(200, b'{"metadata": {}, "items": []}')

    def answer(self, code: int, content: bytes) -> None:
        self.send_response(code)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Do nothing."""


class _ForTenants(_Empty):
    """Lists of one namespace only."""

    def do_GET(self) -> None:
        if "/namespaces/" in self.path:
            super().do_GET()
        else:
            self.answer(403, b'{"kind": "Status", "code": 403, "reason": "Forbidden"}')


def _turn(case: _Case) -> tuple[float, float]:
    command = (*_PROGRAM, *case.words)
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, capture_output=True, check=False, env=_ENVIRONMENT, text=True)
    wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    said = f"{done.stdout}{done.stderr}"
    if done.returncode != case.code or case.says not in said:
        sys.exit(f"{case.title}: exit code {done.returncode}, not {case.code}: {said.strip()}")
    return wall, spent


if __name__ == "__main__":
    main()
