"""Runs the commands of a session as its users type them, and keeps what they print."""

import os
import subprocess
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final


_SECONDS: Final = 60
_WIDTH: Final = 118


class SessionError(Exception):
    """A command ended otherwise than the session says; the text has it and its output."""


class Recorder:
    """A page in the making: sentences, commands, and their output, unchanged.

    A command runs in bash, as one of ``users`` (kubeconfig files by name), with ``programs`` in
    front of the PATH. What it prints to standard error stands first.
    """

    def __init__(self, users: Mapping[str, Path], programs: Sequence[Path], folder: Path) -> None:
        self._users = users
        self._path = ":".join([*map(str, programs), os.environ["PATH"]])
        self._folder = folder
        self._parts: list[str] = []

    @property
    def page(self) -> str:
        """The Markdown so far."""
        return "\n\n".join(self._parts) + "\n"

    def say(self, *paragraphs: str) -> None:
        """Add paragraphs of Markdown, each on lines that fit."""
        fitting = (textwrap.fill(each, _WIDTH, break_on_hyphens=False) for each in paragraphs)
        self._parts.extend(fitting)

    def run(self, user: str, *commands: str) -> None:
        """Run commands and add them as one block; raises ``SessionError`` where one fails."""
        shown = [f"$ {command}\n{self._output(user, command)}" for command in commands]
        self._parts.append("```console\n" + "\n".join(each.rstrip() for each in shown) + "\n```")

    def _output(self, user: str, command: str) -> str:
        ended = subprocess.run(
            ["bash", "-c", command],
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
            cwd=self._folder,
            env={**os.environ, "PATH": self._path, "KUBECONFIG": str(self._users[user])},
            stdin=subprocess.DEVNULL,
        )
        if ended.returncode:
            raise SessionError(f"{command}: exit code {ended.returncode}\n{ended.stderr}")
        return ended.stderr + ended.stdout
