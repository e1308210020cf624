"""docs/import.md shows what the command prints, to the letter."""

import re
import shlex
from pathlib import Path

import pytest

from elasticquota_cli import main as cli


ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "import.md").read_text(encoding="utf-8")

_BLOCK = re.compile(r"```console\n\$ kubectl elastic-quota ([^\n]*)\n(.*?)```", re.DOTALL)
_AWAY = " > quotas.yaml"


@pytest.mark.parametrize(("command", "printed"), _BLOCK.findall(PAGE))
def test_each_command_of_the_page_prints_what_stands_below_it(
    command: str,
    printed: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(ROOT)
    assert cli.main(shlex.split(command.removesuffix(_AWAY))) == 0
    shown = capsys.readouterr()
    assert (shown.err if command.endswith(_AWAY) else shown.out) == printed


def test_the_page_has_a_command_for_each_dialect() -> None:
    shown = {command.split()[1] for command, _ in _BLOCK.findall(PAGE)}
    assert shown == {"ack", "capacity", "yunikorn", "resourcequota"}


def test_the_manifest_that_the_page_quotes_is_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    cli.main(["import", "ack", "-f", "examples/import/elasticquotatree.yaml"])
    printed = capsys.readouterr().out
    quoted = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    assert quoted
    assert all(each in printed for each in quoted)
