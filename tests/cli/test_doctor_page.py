"""docs/doctor.md shows what the command prints, to the letter."""

import pytest

import screens


SHOWN = screens.of("doctor.md")


@pytest.mark.parametrize(("command", "printed"), SHOWN)
def test_each_command_of_the_page_prints_what_stands_below_it(
    command: str,
    printed: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert screens.printed(command, monkeypatch, capsys) == printed


def test_the_page_has_such_a_command() -> None:
    assert len(SHOWN) == 1
