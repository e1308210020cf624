"""Starts a controller once in a new process: reads lists from standard input, and decides.

Prints one line of JSON: CPU seconds from the first byte to the decisions, bytes that ledger and
forest added to the process, and its peak memory. ``cluster_cases`` starts this and feeds it.
"""

import sys
from dataclasses import asdict, dataclass
from time import process_time
from typing import IO

import msgspec

from benchmarks import measure, product
from elasticquota.ledger.ledger import Ledger
from elasticquota_operator import gc_tuning


@dataclass(frozen=True, slots=True)
class Start:
    """The costs of one start."""

    reading_cpu_seconds: float
    deciding_cpu_seconds: float
    kept_bytes: int
    most_bytes: int
    answered: int
    """Waiting pods that are ungated or have a reason to wait."""


def run(lists: IO[bytes]) -> Start:
    """Read, until the end of input, a line with kind and length, and then that many bytes."""
    gc_tuning.rest()  # as the controller does
    before = measure.resident()
    started = process_time()
    ledger = Ledger()
    while header := lists.readline():
        plural, length = header.decode("ascii").split()
        product.take_page(ledger, plural, lists.read(int(length)))
    kept = product.standing(ledger)
    read = process_time()
    kept_bytes = measure.resident() - before
    decisions = product.decision(ledger)
    decided = process_time()
    del kept
    return Start(
        reading_cpu_seconds=read - started,
        deciding_cpu_seconds=decided - read,
        kept_bytes=kept_bytes,
        most_bytes=measure.most_resident(),
        answered=len(decisions.releases) + len(decisions.waits),
    )


if __name__ == "__main__":
    sys.stdout.buffer.write(msgspec.json.encode(asdict(run(sys.stdin.buffer))))
