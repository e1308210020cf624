"""How much memory the controller needs at most, by the size of its cluster.

The benchmarks are bounded by it, docs/how-to/operate.md states it, and the chart's limit follows.
"""

from typing import Final


BASE: Final = 140
"""MiB without pods and quotas."""
FOR_1000_PODS: Final = 4
FOR_1000_QUOTAS: Final = 10


def mebibytes(pods: int, quotas: int) -> int:
    """MiB that the controller needs at most, also after bursts of events."""
    more = pods * FOR_1000_PODS + quotas * FOR_1000_QUOTAS
    return BASE - (-more // 1000)
