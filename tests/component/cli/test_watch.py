"""``-w`` shows a verb again and again; ``--no-headers`` leaves out the titles of columns."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from elasticquota_cli import main as cli
from elasticquota_cli.printers import table, watch
from simulated import Screen


CLUSTER = str(Path(__file__).parents[3] / "examples" / "overview" / "cluster.yaml")


@pytest.fixture(autouse=True)
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses that were made; the user stops watching at the fifth."""
    made: list[float] = []

    def pause(seconds: float) -> None:
        made.append(seconds)
        if len(made) == 5:
            raise KeyboardInterrupt

    monkeypatch.setattr(time, "sleep", pause)
    return made


def shows(*texts: str) -> Callable[[], int]:
    """A verb that prints one text after the other, and then the last one again and again."""
    left = list(texts)

    def show() -> int:
        table.line(left.pop(0) if len(left) > 1 else left[0])
        return 0

    return show


def test_in_a_pipe_it_is_printed_again_only_when_it_is_another(
    capsys: Screen, pauses: list[float]
) -> None:
    assert watch.repeat(shows("one", "one", "two", "one")) == 0
    assert capsys.readouterr().out.split() == ["one", "two", "one"]
    assert pauses == [watch.EVERY] * 5


def test_on_a_terminal_it_is_drawn_in_place(
    capsys: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    watch.repeat(shows("one", "two"))
    first, second, *_ = capsys.readouterr().out.split("\033[H\033[2J")[1:]
    assert (first, second) == ("one\n", "two\n")


def test_a_failure_ends_it_with_its_code_and_what_was_said(
    capsys: Screen, pauses: list[float]
) -> None:
    def fails() -> int:
        table.line("not there")
        return 3

    assert watch.repeat(fails) == 3
    assert capsys.readouterr().out == "not there\n"
    assert pauses == []


def test_a_pipe_gets_the_lines_of_trees_in_its_own_encoding(capsys: Screen) -> None:
    watch.repeat(shows("\u251c\u2500 team"))
    assert capsys.readouterr().out == "\u251c\u2500 team\n"


@pytest.mark.parametrize("verb", ["pending", "top", "history"])
def test_the_overviews_have_it(capsys: Screen, pauses: list[float], verb: str) -> None:
    assert cli.main([verb, "-A", "-f", CLUSTER]) == 0
    once = capsys.readouterr().out
    assert cli.main([verb, "-A", "-f", CLUSTER, "-w"]) == 0
    assert len(pauses) == 5
    assert capsys.readouterr().out.startswith(once)


@pytest.mark.parametrize(("verb", "title"), [("pending", "NAMESPACE"), ("history", "TIME")])
def test_without_headers_the_rows_are_the_same(capsys: Screen, verb: str, title: str) -> None:
    assert cli.main([verb, "-A", "-f", CLUSTER]) == 0
    head, *rows = capsys.readouterr().out.splitlines()
    assert head.startswith(title)
    assert cli.main([verb, "-A", "-f", CLUSTER, "--no-headers"]) == 0
    assert capsys.readouterr().out.splitlines() == rows


def test_the_sections_of_top_keep_their_names_without_headers(capsys: Screen) -> None:
    assert cli.main(["top", "-A", "-f", CLUSTER, "--no-headers"]) == 0
    out = capsys.readouterr().out
    assert "BORROWERS" in out
    assert "NAMESPACE" not in out
