"""Programs of other projects that run beside the cluster, on loopback only."""

import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from local_cluster import leash


@contextmanager
def running(
    command: Sequence[str], log: Path, variables: Mapping[str, str] | None = None
) -> Iterator["subprocess.Popen[bytes]"]:
    """The program adds to ``log`` and ends with the block, or with this process."""
    with log.open("ab") as output:
        process = subprocess.Popen(
            command,
            stdout=output,
            stderr=subprocess.STDOUT,
            preexec_fn=leash.die_with_parent(),  # noqa: PLW1509 - it calls the kernel only
            env={**os.environ, "GOMAXPROCS": "1", **(variables or {})},
        )
        try:
            yield process
        finally:
            process.terminate()
            process.wait(60)
