"""What we start ends when we end, in any way."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from local_cluster import build, leash, state


STARTER = """
import os, signal, subprocess, sys
from local_cluster import leash
child = subprocess.Popen(["sleep", "1000"], preexec_fn=leash.die_with_parent())
print(child.pid, flush=True)
child.wait()
"""

BUILDER = """
import os, sys
from pathlib import Path
from local_cluster import leash
with open(os.devnull, "wb") as output:
    script = "sleep 1000 & echo $! >" + sys.argv[1] + "; wait"
    tied = leash.start(["sh", "-c", script], output=output, cwd=Path("/"), env=os.environ)
print("started", flush=True)
tied.wait()
"""


def started(script: str, *arguments: str) -> "subprocess.Popen[str]":
    environment = {**os.environ, "PYTHONPATH": str(build.TOOLS)}
    command = [sys.executable, "-c", script, *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)


def until(seen: Callable[[], object]) -> None:
    for _ in range(500):
        if seen():
            return
        time.sleep(0.01)
    raise AssertionError("not within 5 s")


def alive(pid: int) -> bool:
    try:
        return state.identify(pid).alive()
    except ProcessLookupError:
        return False


def kill(starter: "subprocess.Popen[str]") -> None:
    starter.send_signal(signal.SIGKILL)
    starter.communicate()


def test_a_child_dies_with_its_killed_parent() -> None:
    starter = started(STARTER)
    assert starter.stdout is not None
    child = int(starter.stdout.readline())
    assert alive(child)
    kill(starter)
    until(lambda: not alive(child))


def test_a_leashed_group_dies_with_its_killed_starter(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    starter = started(BUILDER, str(note))
    until(lambda: note.exists() and note.read_text().strip())
    grandchild = int(note.read_text())
    assert alive(grandchild)
    kill(starter)
    until(lambda: not alive(grandchild))


def test_a_leash_passes_on_output_and_exit_code(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with log.open("wb") as output:
        command = ["sh", "-c", "echo out; echo err >&2; exit 7"]
        tied = leash.start(command, output=output, cwd=tmp_path, env=os.environ)
    with tied:
        assert tied.wait() == 7
    assert log.read_text() == "out\nerr\n"
