"""``python -m demo [--down] [--existing] [--dir DIR]``: play the seven steps and check them.

Ends with 0 when every claim came true, 1 with what was expected and seen (or what is missing)
otherwise, 130 on Ctrl-C. A fresh cluster is started each time; it stays for looking around, also
after a failed claim, unless ``--down`` is given or the demo is interrupted.
"""

import argparse
import shlex
import signal
import sys
import time
from collections.abc import Sequence
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
    ("1  Bad quotas are refused", steps.refuse),
    ("2  team-a borrows what nobody needs; what does not fit waits", steps.borrow),
    ("3  team-b asks for its min, and team-a gives back just enough", steps.reclaim),
    ("4  team-b ends, and team-a's waiting pods are released", steps.lend_again),
    ("5  A pod of the other tree lands on the other pool", steps.stay_in_tree),
    ("6  A tenant tries to remove the gate", steps.keep_the_gate),
    ("7  kill -9 of the controller changes nothing in the end state", steps.survive),
)


class _RefusalError(Exception):
    """The demo cannot begin; the text says why and what to do."""


def main() -> int:
    """Obey the command line."""
    options = _parse()
    show = screen.standard()
    for ending in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(ending, _interrupt)
    show.title("elastic-quota-operator: two teams share two pools of nodes, on the stock scheduler")
    try:
        return _existing(show, options) if options.existing else _local(show, options)
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
        show.error("interrupted" + ("" if options.existing else "; nothing is left running"))
        return 130


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m demo",
        description="Two teams borrow and give back on a real control plane, checked step by step.",
    )
    parser.add_argument("--down", action="store_true", help="leave nothing running at the end")
    parser.add_argument(
        "--existing",
        action="store_true",
        help="use the cluster of KUBECONFIG, which has to run kwok",
    )
    parser.add_argument(
        "--dir", type=Path, default=_FOLDER, help="folder of the local cluster [%(default)s]"
    )
    return parser.parse_args()


def _local(show: screen.Screen, options: argparse.Namespace) -> int:
    began = time.monotonic()
    _make_room(show, options.dir)
    show.chapter("0  A real control plane, the operator from its chart, and the setting")
    running = cluster.start(options.dir, tied=options.down, say=show.say)
    keep = False
    try:
        _mark(running.folder)
        show.proved("etcd, kube-apiserver, controller-manager, scheduler, kwok", _since(began))
        here = demo_cluster.Local(running)
        proved = _play(show, here, began)
        keep = not options.down
    finally:
        if not keep:
            running.stop()
    if keep:
        _farewell(show, [*here.farewell(), _down(options.dir)])
    return 0 if proved else 1


def _existing(show: screen.Screen, options: argparse.Namespace) -> int:
    began = time.monotonic()
    here = demo_cluster.existing(show.say)
    stage = Stage(here.client, show)
    show.chapter("0  The operator from its chart, and the setting")
    show.say("Removing what a former demo left here.")
    setting.clear(stage)
    proved = _play(show, here, began)
    if options.down:
        show.say("Removing the example again; the operator stays.")
        setting.clear(stage)
    else:
        _farewell(show, here.farewell())
    return 0 if proved else 1


def _play(show: screen.Screen, here: demo_cluster.Ground, began: float) -> bool:
    """The setting and the seven steps; whether every claim came true."""
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
    show.chapter(f"Every claim came true, in {_since(began):.0f} s")
    first, *others = (f"{took:.1f}" for took in times)
    show.say(f"{first} s for the setting, then {', '.join(others)} s for the steps 1 to 7.")
    return True


def _farewell(show: screen.Screen, commands: Sequence[str]) -> None:
    show.say("The cluster stays. To look around, and to remove it:")
    for command in commands:
        show.command(command)


def _down(folder: Path) -> str:
    if folder == _FOLDER:
        return "make cluster-down"
    place = shlex.quote(str(folder))
    return f"PYTHONPATH=tools .venv/bin/python -m local_cluster down --dir {place}"


def _make_room(show: screen.Screen, folder: Path) -> None:
    """Stop the cluster of a former demo; somebody's own cluster is not ours to stop."""
    running = cluster.attach(folder)
    if running is None:
        return
    marked = folder / _MARK
    if not marked.exists() or marked.read_text() != _identity(folder):
        raise _RefusalError(
            f"a cluster that no demo started runs in {folder}: stop it (make cluster-down), or "
            "give the demo another folder with --dir"
        )
    show.say("Stopping the cluster of the former demo.")
    running.stop()


def _mark(folder: Path) -> None:
    (folder / _MARK).write_text(_identity(folder))


def _identity(folder: Path) -> str:
    """Which cluster runs in the folder: a mark that outlives it must not fit its successor."""
    known = state.read(Folder(folder).state)
    return "" if known is None else f"{known.supervisor.pid} {known.supervisor.started}"


def _since(began: float) -> float:
    return time.monotonic() - began


def _interrupt(_: int, __: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
