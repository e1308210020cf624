"""What every step does in the same way: run a command, show its output, check a claim."""

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from demo import claims, client, pods
from demo.screen import Screen
from local_cluster import product


EXAMPLE = "examples/two-teams"
LEASE = "elastic-quota-controller"
WITHIN_SECONDS = 30.0

_DRAW_EVERY_SECONDS = 1.0

Seen = TypeVar("Seen")


class Stage:
    """Combines one cluster and one screen."""

    def __init__(self, kubectl: client.Client, screen: Screen) -> None:
        self.client = kubectl
        self.screen = screen
        self._drawn_at = 0.0

    def show(self, command: str) -> None:
        """Show a command without running it."""
        self.screen.command(command)

    def ask(self, *arguments: str, kubeconfig: Path | None = None) -> None:
        """Run and show a kubectl command that must succeed. Raises ``CommandError``."""
        answer = self._run(arguments, kubeconfig)
        if answer.code != 0:
            raise client.CommandError(f"{client.typed(*arguments)}\n{answer.complaints.strip()}")
        self.screen.output(answer.output)

    def refused(self, *arguments: str, kubeconfig: Path | None = None) -> str:
        """Run and show a kubectl command that must be refused; returns its error output."""
        answer = self._run(arguments, kubeconfig)
        self.screen.output(answer.complaints + answer.output)
        outcome = "refused" if answer.code else "accepted"
        claims.hold("the command is refused", "refused", outcome)
        return answer.complaints

    def apply(self, *files: str) -> None:
        """Run and show `kubectl apply` of files of the example, and the start of its output."""
        arguments = [word for file in files for word in ("-f", f"{EXAMPLE}/{file}")]
        self.show(client.typed("apply", *arguments))
        made = self.client.must("apply", *arguments).splitlines()
        if len(made) > 3:
            made = [*made[:2], f"... and {len(made) - 2} more"]
        self.screen.output("\n".join(made))

    def claim(
        self, text: str, expected: Seen, look: Callable[[], Seen], within: float = WITHIN_SECONDS
    ) -> None:
        """Wait until ``look`` returns ``expected``, draw the quotas meanwhile, print the result."""
        seconds = claims.await_equal(text, expected, look, within, meanwhile=self._draw)
        self.screen.proved(text, seconds)

    def tree(self) -> None:
        """Show the tree of quotas with used and runtime."""
        self.show("elastic-quota tree")
        self.screen.output(self._tree())

    def pod_counts(self, *namespaces: str) -> dict[str, pods.PodCounts]:
        """The pods of these namespaces, counted by workload."""
        return pods.count(
            pod for namespace in namespaces for pod in self.client.items("pods", "-n", namespace)
        )

    def cpu(self, *quotas: str) -> dict[str, str]:
        """The published column CPU (used/usable/min..max) of these quotas."""
        found: Mapping[str, str] = {
            quota["metadata"]["name"]: quota.get("status", {}).get("summary", {}).get("cpu", "none")
            for quota in self.client.items("elasticquotas", "-A")
        }
        return {name: found.get(name, "no such quota") for name in quotas}

    def leader(self) -> str:
        """The pod name of the leading controller."""
        lease = self.client.items("lease", LEASE, "-n", product.NAMESPACE)[0]
        return str(lease["spec"].get("holderIdentity") or "no controller")

    def _run(self, arguments: Sequence[str], kubeconfig: Path | None) -> client.Answer:
        as_whom = () if kubeconfig is None else ("--kubeconfig", kubeconfig.name)
        self.show(client.typed(*as_whom, *arguments))
        return self.client.run(*arguments, kubeconfig=kubeconfig)

    def _draw(self) -> None:
        if self.screen.draws and time.monotonic() - self._drawn_at >= _DRAW_EVERY_SECONDS:
            self.screen.live(self._tree())
            self._drawn_at = time.monotonic()

    def _tree(self) -> str:
        program = Path(sys.executable).parent / "elastic-quota"
        answer = self.client.program(program, "tree")
        if answer.code != 0:
            raise client.CommandError(f"elastic-quota tree\n{answer.complaints.strip()}")
        return answer.output
