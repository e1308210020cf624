"""Makes sure that no process outlives the one that started it, however that one ends.

There are two ways. ``die_with_parent`` asks the kernel for a signal when the parent is gone; it is
for programs that a long-lived, single-threaded process of ours starts. ``run`` ties a whole process
group (a compiler and its helpers) to a pipe held by the caller; it is for short work, and works
from any of the caller's threads.
"""

import ctypes
import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO


_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True)


def die_with_parent(with_signal: signal.Signals = signal.SIGKILL) -> Callable[[], None]:
    """A function for the child to run between fork and exec; it gets ``with_signal`` when we end.

    The kernel watches the *thread* that forked: call this from the main thread only.
    """
    parent = os.getpid()

    def in_child() -> None:
        _libc.prctl(_PR_SET_PDEATHSIG, int(with_signal), 0, 0, 0)
        if os.getppid() != parent:  # the parent ended before the kernel could be asked
            os._exit(1)

    return in_child


def start(
    command: Sequence[str], *, output: IO[bytes], cwd: Path, env: Mapping[str, str]
) -> subprocess.Popen[bytes]:
    """Start ``command`` in a process group that is killed as soon as this process is gone.

    Its outputs go to ``output``; its exit code is the returned process's.
    """
    return subprocess.Popen(
        [sys.executable, "-S", str(Path(__file__)), *command],
        stdin=subprocess.PIPE,
        stdout=output,
        stderr=subprocess.STDOUT,
        cwd=cwd,
        env=dict(env),
        start_new_session=True,
    )


def _hold(command: Sequence[str]) -> int:
    """Run ``command`` until it or standard input ends; then kill what is left of its group."""
    child = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=die_with_parent(),  # noqa: PLW1509 - this process has one thread
    )
    watched = os.pidfd_open(child.pid)
    try:
        ready, _, _ = select.select([sys.stdin, watched], [], [])
        if watched in ready:
            return child.wait()
        return 1
    finally:
        if child.poll() is None:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()


if __name__ == "__main__":
    sys.exit(_hold(sys.argv[1:]))
