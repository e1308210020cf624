"""Examples of each verb, for its help and for the page of the command line."""

from collections.abc import Mapping, Sequence
from typing import Final


OF_VERB: Final[Mapping[str, Sequence[str]]] = {
    "tree": ("tree", "tree -n team-a -o wide"),
    "explain": ("explain pod web-6 -n team-a", "explain quota team-a -o wide"),
    "why": ("why deploy/web -n team-a", "why web-6 -o wide", "why quota team-a"),
    "pending": ("pending -A",),
    "top": ("top -A",),
    "history": ("history -n team-a",),
    "usage": ("usage -A -o csv",),
    "doctor": ("doctor", "doctor -o json"),
    "pause": ("pause quota team-a", "pause tree pool-root --dry-run"),
    "resume": ("resume quota team-a",),
    "observe": ("observe on pool-root --dry-run", "observe off pool-root"),
    "release": ("release --all --dry-run",),
    "simulate": (
        "simulate -f cluster.json",
        "simulate -f cluster.json --what-if change.yaml",
    ),
    "plan": ("plan -f change.yaml",),
    "import": ("import kueue -f queues.yaml",),
    "export": ("export ack -f quotas.yaml",),
    "config": ("config check -f config.yaml", "config show --defaults"),
    "completion": ("completion bash",),
    "version": ("version",),
    "run": ("run controller --config config.yaml",),
}
"""What is typed after the name of the program; the first is the usual one."""
