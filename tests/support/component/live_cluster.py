"""The double of a cluster, and the command line as its users run it."""

import asyncio
from pathlib import Path
from typing import NamedTuple

import pytest

from api_double import ApiDouble
from elasticquota_cli import main as cli


Screen = pytest.CaptureFixture[str]


class Printed(NamedTuple):
    """The texts of both streams."""

    out: str
    err: str


class Live(ApiDouble):
    """A double with a folder for files, and the screen of its user."""

    def __init__(self, folder: Path, screen: Screen) -> None:
        super().__init__()
        self.folder = folder
        self.screen = screen

    async def run(self, *words: str) -> int:
        """Run a command, which has an event loop of its own; return the exit code."""
        kubeconfig = str(self.kubeconfig(self.folder))
        return await asyncio.to_thread(cli.main, [*words, "--kubeconfig", kubeconfig])

    def said(self) -> Printed:
        """What was printed since the last time."""
        return Printed(*self.screen.readouterr())
