"""Runs kubectl and other programs; the demo uses only commands that its audience could type."""

import json
import os
import shlex
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple


_SECONDS = 30


class CommandError(Exception):
    """A command failed that must succeed; the text has the command and its error output."""


class Answer(NamedTuple):
    """The exit code and output of a command."""

    code: int
    output: str
    complaints: str


class Client:
    """Runs kubectl and other programs in ``folder`` with one kubeconfig."""

    def __init__(self, kubectl: Path, kubeconfig: Path, folder: Path) -> None:
        self._kubectl = kubectl
        self._folder = folder
        self.kubeconfig = kubeconfig

    def run(self, *arguments: str, kubeconfig: Path | None = None) -> Answer:
        """Run kubectl with these arguments; it may fail."""
        return self.program(self._kubectl, *arguments, kubeconfig=kubeconfig)

    def must(self, *arguments: str) -> str:
        """Run kubectl with these arguments; returns its output. Raises ``CommandError``."""
        answer = self.run(*arguments)
        if answer.code != 0:
            raise CommandError(f"{typed(*arguments)}\n{answer.complaints.strip()}")
        return answer.output

    def items(self, *arguments: str) -> list[dict[str, Any]]:
        """The objects that `kubectl get ... -o json` returns."""
        found: dict[str, Any] = json.loads(self.must("get", *arguments, "-o", "json"))
        return list(found["items"]) if "items" in found else [found]

    def program(self, path: Path, *arguments: str, kubeconfig: Path | None = None) -> Answer:
        """Run another program with KUBECONFIG set. Raises ``CommandError`` after 30 s."""
        environment: Mapping[str, str] = {
            **os.environ,
            "KUBECONFIG": str(kubeconfig or self.kubeconfig),
        }
        try:
            ended = subprocess.run(
                [path, *arguments],
                capture_output=True,
                text=True,
                timeout=_SECONDS,
                check=False,
                cwd=self._folder,
                env=environment,
                stdin=subprocess.DEVNULL,
            )
        except subprocess.TimeoutExpired:
            command = shlex.join([path.name, *arguments])
            raise CommandError(f"{command}\ndid not end within {_SECONDS} s") from None
        return Answer(ended.returncode, ended.stdout, ended.stderr)


def typed(*arguments: str) -> str:
    """The command as a person would type it."""
    return shlex.join(["kubectl", *arguments])
