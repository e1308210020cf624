"""Everything the demo does to the cluster it does through kubectl, as its audience would."""

import json
import os
import shlex
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple


_SECONDS = 30


class CommandError(Exception):
    """A command that has to work did not; the text says which and what it said."""


class Answer(NamedTuple):
    """How a command ended and what it said."""

    code: int
    output: str
    complaints: str


class Client:
    """Runs kubectl and others below ``folder`` with one kubeconfig."""

    def __init__(self, kubectl: Path, kubeconfig: Path, folder: Path) -> None:
        self._kubectl = kubectl
        self._folder = folder
        self.kubeconfig = kubeconfig

    def run(self, *arguments: str, kubeconfig: Path | None = None) -> Answer:
        """Kubectl with these arguments, whatever comes of it."""
        return self.program(self._kubectl, *arguments, kubeconfig=kubeconfig)

    def must(self, *arguments: str) -> str:
        """Kubectl with these arguments; its output. Raises ``CommandError`` when it complains."""
        answer = self.run(*arguments)
        if answer.code != 0:
            raise CommandError(f"{typed(*arguments)}\n{answer.complaints.strip()}")
        return answer.output

    def items(self, *arguments: str) -> list[dict[str, Any]]:
        """The objects that `kubectl get ... -o json` lists."""
        found: dict[str, Any] = json.loads(self.must("get", *arguments, "-o", "json"))
        return list(found["items"]) if "items" in found else [found]

    def program(
        self,
        path: Path,
        *arguments: str,
        kubeconfig: Path | None = None,
        seconds: int = _SECONDS,
    ) -> Answer:
        """Another program that finds the cluster by KUBECONFIG, given up after ``seconds``."""
        environment: Mapping[str, str] = {
            **os.environ,
            "KUBECONFIG": str(kubeconfig or self.kubeconfig),
        }
        try:
            told = subprocess.run(
                [path, *arguments],
                capture_output=True,
                text=True,
                timeout=seconds,
                check=False,
                cwd=self._folder,
                env=environment,
                stdin=subprocess.DEVNULL,
            )
        except subprocess.TimeoutExpired:
            command = shlex.join([path.name, *arguments])
            raise CommandError(f"{command}\ndid not end within {seconds} s") from None
        return Answer(told.returncode, told.stdout, told.stderr)


def typed(*arguments: str) -> str:
    """The command as a person would type it."""
    return shlex.join(["kubectl", *arguments])
