"""docs/explain.md shows what the command prints, to the letter."""

import re
import shlex
from pathlib import Path

import pytest

from elasticquota_cli import main as cli


ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "explain.md"

_BLOCK = re.compile(r"```console\n\$ kubectl elastic-quota ([^\n]*)\n(.*?)```", re.DOTALL)


@pytest.mark.parametrize(("command", "printed"), _BLOCK.findall(PAGE.read_text(encoding="utf-8")))
def test_each_command_of_the_page_prints_what_stands_below_it(
    command: str,
    printed: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(ROOT)
    assert cli.main(shlex.split(command)) == 0
    assert capsys.readouterr().out == printed


def test_the_page_has_such_commands() -> None:
    assert len(_BLOCK.findall(PAGE.read_text(encoding="utf-8"))) == 3
