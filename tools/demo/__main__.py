"""``python -m demo [--down] [--dir DIR]``: run the seven steps and check them.

Exit code 0 when every claim is true; 1 otherwise, with what was expected and seen or what is
missing; 130 on Ctrl-C. Each run starts a new cluster, which stays running for a look around, also
after a failed claim, unless ``--down`` is given or the demo is interrupted.
"""

import argparse
import shlex
import signal
import sys
import time
from pathlib import Path
from types import FrameType
from typing import NoReturn

from demo import claims, client, screen, setting, steps
from demo import cluster as demo_cluster
from demo.stage import Stage
from local_cluster import build, cluster, product, state
from local_cluster.folder import Folder


_FOLDER = build.TOOLS.parent / ".cache" / "cluster"
_MARK = "demo"
_STEPS = (
    ("1  Invalid quotas are refused", steps.refuse),
    ("2  team-a borrows unused cpu; the pods that do not fit wait", steps.borrow),
    ("3  team-b needs its min: the operator reclaims just enough from team-a", steps.reclaim),
    ("4  team-b stops, and the waiting pods of team-a start", steps.lend_again),
    ("5  Pods of the other tree run on the other pool", steps.stay_in_tree),
    ("6  A tenant tries to remove the gate", steps.keep_the_gate),
    ("7  kill -9 of the controller: the end state is the same", steps.survive),
)


class _RefusalError(Exception):
    """The demo cannot start; the text says why and what to do."""


def main() -> int:
    """Run the demo with the options of the command line; returns the exit code."""
    options = _parse()
    show = screen.standard()
    for ending in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(ending, _interrupt)
    show.title("elastic-quota-operator: two teams share two node pools, with the stock scheduler")
    try:
        return _local(show, options)
    except (
        _RefusalError,
        client.CommandError,
        cluster.ClusterError,
        product.ProductError,
        build.BuildError,
    ) as error:
        show.error(str(error))
        return 1
    except KeyboardInterrupt:
        show.error("interrupted; the cluster is stopped")
        return 130


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m demo",
        description="Two teams share a pool on a real control plane, checked step by step.",
    )
    parser.add_argument("--down", action="store_true", help="stop the cluster at the end")
    parser.add_argument(
        "--dir", type=Path, default=_FOLDER, help="folder of the local cluster [%(default)s]"
    )
    return parser.parse_args()


def _local(show: screen.Screen, options: argparse.Namespace) -> int:
    began = time.monotonic()
    _make_room(show, options.dir)
    show.chapter("0  Start a control plane, install the operator, create nodes and quotas")
    running = cluster.start(options.dir, tied=options.down, say=show.say)
    keep = False
    try:
        _mark(running.folder)
        show.proved("etcd, kube-apiserver, controller-manager, scheduler, kwok", _since(began))
        here = demo_cluster.Ground(running)
        proved = _play(show, here, began)
        keep = not options.down
    finally:
        if not keep:
            running.stop()
    if keep:
        show.say("The cluster keeps running. To look around, and to remove it:")
        for command in (*here.closing_lines(), _down(options.dir)):
            show.command(command)
    return 0 if proved else 1


def _play(show: screen.Screen, here: demo_cluster.Ground, began: float) -> bool:
    """Set up and run the seven steps; returns whether every claim was true."""
    stage = Stage(here.client, show)
    times = []
    try:
        installing = time.monotonic()
        show.say(here.note)
        show.command(here.command())
        show.proved(here.install(), _since(installing))
        setting.prepare(stage, here)
        times.append(_since(began))
        for title, step in _STEPS:
            show.chapter(title)
            started = time.monotonic()
            step(stage, here)
            times.append(_since(started))
    except claims.ClaimError as refuted:
        show.refuted(refuted.claim, refuted.expected, refuted.seen)
        return False
    show.chapter(f"Every claim was true. The demo took {_since(began):.0f} s")
    first, *others = (f"{took:.1f}" for took in times)
    show.say(f"Setup took {first} s; steps 1 to 7 took {', '.join(others)} s.")
    return True


def _down(folder: Path) -> str:
    if folder == _FOLDER:
        return "make cluster-down"
    place = shlex.quote(str(folder))
    return f"PYTHONPATH=tools .venv/bin/python -m local_cluster down --dir {place}"


def _make_room(show: screen.Screen, folder: Path) -> None:
    """Stop the cluster of an earlier demo; refuse to stop any other cluster."""
    running = cluster.attach(folder)
    if running is None:
        return
    marked = folder / _MARK
    if not marked.exists() or marked.read_text() != _identity(folder):
        raise _RefusalError(
            f"the cluster in {folder} was not started by a demo: stop it (make cluster-down), or "
            "choose another folder with --dir"
        )
    show.say("Stopping the cluster of an earlier demo.")
    running.stop()


def _mark(folder: Path) -> None:
    (folder / _MARK).write_text(_identity(folder))


def _identity(folder: Path) -> str:
    """Which cluster runs in the folder; the mark of an earlier cluster must not match a new one."""
    known = state.read(Folder(folder).state)
    return "" if known is None else f"{known.supervisor.pid} {known.supervisor.started}"


def _since(began: float) -> float:
    return time.monotonic() - began


def _interrupt(_: int, __: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
