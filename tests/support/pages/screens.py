"""Commands that a page shows with what they print, and how they are run where the page is read."""

import re
import shlex
from pathlib import Path

import pytest

from elasticquota_cli import main as cli


ROOT = Path(__file__).parents[3]
AWAY = " > quotas.yaml"
"""What is printed goes to a file, so that the page shows standard error."""

_BLOCK = re.compile(r"```console\n\$ kubectl elastic-quota ([^\n]*)\n(.*?)```", re.DOTALL)


def page(name: str) -> str:
    """A page of the documentation."""
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


def of(name: str) -> list[tuple[str, str]]:
    """The commands of a page, each with what stands below it."""
    return _BLOCK.findall(page(name))


def printed(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> str:
    """What the command prints, run in the folder of the product."""
    monkeypatch.chdir(ROOT)
    assert cli.main(shlex.split(command.removesuffix(AWAY))) == 0
    shown = capsys.readouterr()
    return shown.err if command.endswith(AWAY) else shown.out
