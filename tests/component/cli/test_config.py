"""``config`` reports that a file is good or lists its faults, and shows the resulting values."""

import io
import sys
from pathlib import Path

import pytest

from elasticquota_cli import main as cli
from elasticquota_config import model
from elasticquota_config.model import Configuration


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "config.yaml"


def test_a_good_file_is_reported_as_good(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text("reclaim: {paused: true}", encoding="utf-8")
    assert cli.main(["config", "check", "-f", str(file)]) == 0
    assert capsys.readouterr().out == f"{file}: good\n"


def test_every_fault_is_a_line_with_the_nearest_key(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text("reclaim: {graceSecond: 5, evictionsPerSecond: 5000}", encoding="utf-8")
    assert cli.main(["config", "check", "-f", str(file)]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.splitlines() == [
        "elastic-quota: reclaim.evictionsPerSecond: must be at most 1000, got 5000",
        "elastic-quota: reclaim.graceSecond: unknown key, did you mean graceSeconds?",
    ]


def test_text_that_is_not_yaml_is_a_fault(file: Path) -> None:
    file.write_text("a: [", encoding="utf-8")
    assert cli.main(["config", "check", "-f", str(file)]) == 1


@pytest.mark.parametrize("action", ["check", "show"])
@pytest.mark.parametrize("content", [None, b"\xff\xfe"], ids=["missing", "no text"])
def test_an_unreadable_file_has_its_own_exit_code(
    file: Path, content: bytes | None, action: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if content is not None:
        file.write_bytes(content)
    assert cli.main(["config", action, "-f", str(file)]) == 2
    assert "cannot read the configuration" in capsys.readouterr().err


def test_standard_input_is_checked_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"leese: {}")))
    assert cli.main(["config", "check", "-f", "-"]) == 1
    assert capsys.readouterr().err == "elastic-quota: leese: unknown key, did you mean lease?\n"


def test_the_shown_configuration_marks_differences_and_can_be_read_back(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text("reclaim: {paused: true}\nrules: {overrides: {PD1301: off}}", encoding="utf-8")
    assert cli.main(["config", "show", "-f", str(file)]) == 0
    shown = capsys.readouterr().out
    assert [line.strip() for line in shown.splitlines() if "#" in line] == [
        "overrides: {PD1301: 'off'}  # default: {}",
        "paused: true  # default: false",
    ]
    assert model.parse(shown) == model.load(file)


def test_without_a_file_the_defaults_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["config", "show"]) == 0
    shown = capsys.readouterr().out
    assert "#" not in shown
    assert model.parse(shown) == Configuration()


def test_the_defaults_are_shown_with_what_they_mean(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["config", "show", "--defaults"]) == 0
    shown = capsys.readouterr().out
    assert (
        "\n"
        "  # The rate of evictions in one tree. Those of two seconds may go at once. "
        "The API server gets an\n"
        "  # eviction and an event for each.\n"
        "  # [1 to 1000]\n"
        "  evictionsPerSecond: 100\n"
    ) in shown
    assert model.parse(shown) == Configuration()
