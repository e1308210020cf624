"""One controller start in a fresh process: lists come in at standard input, decisions are made.

Prints one line of JSON: CPU seconds from the first byte to the decisions, bytes that ledger and
forest added to the process, and the most it ever had. ``cluster_cases`` starts this and feeds it.
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
    """What one start took."""

    reading_cpu_seconds: float
    deciding_cpu_seconds: float
    kept_bytes: int
    most_bytes: int
    answered: int
    """Waiting pods that are released or told why they wait."""


def run(lists: IO[bytes]) -> Start:
    """Read a line with kind and length, then so many bytes, until the end."""
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
