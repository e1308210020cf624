"""docs/import.md shows what the command prints, to the letter."""

import re

import pytest

import screens


SHOWN = screens.of("import.md")
EXAMPLE = "import ack -f examples/import/elasticquotatree.yaml"


@pytest.mark.parametrize(("command", "printed"), SHOWN)
def test_each_command_of_the_page_prints_what_stands_below_it(
    command: str,
    printed: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert screens.printed(command, monkeypatch, capsys) == printed


def test_the_page_has_a_command_for_each_dialect() -> None:
    shown = {command.split()[1] for command, _ in SHOWN}
    assert shown == {"ack", "capacity", "yunikorn", "resourcequota"}


def test_the_manifest_that_the_page_quotes_is_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = screens.printed(EXAMPLE, monkeypatch, capsys)
    quoted = re.findall(r"```yaml\n(.*?)```", screens.page("import.md"), re.DOTALL)
    assert quoted
    assert all(each in found for each in quoted)
