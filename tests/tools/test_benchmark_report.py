"""A benchmark prints its rows as they come, and a case that fails keeps those of the others."""

import pathlib
import sys
from collections.abc import Iterator

import pytest


sys.path.insert(0, str(pathlib.Path(__file__).parents[2]))  # the benchmarks are no part of it

from benchmarks.report import Report
from benchmarks.table import Row, Target


def test_a_case_that_fails_keeps_all_rows_and_ends_with_the_reason(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def rows() -> Iterator[Row]:
        yield Row("quick", 1, "ms", Target(2))
        assert "| quick " in capsys.readouterr().out, "printed before the next one is measured"
        raise TimeoutError

    def fails() -> Iterator[Row]:
        yield from ()
        raise ExceptionGroup("of tasks", [ValueError("no room")])

    report = Report(("beside: others", ""), "on a quiet machine")
    assert " before; on a quiet machine\n\n" in capsys.readouterr().out
    with report.case("first"):
        report.add(rows())
    with report.case("second"):
        report.add(fails())
    with report.case("third"):
        report.add([Row("slow", 3, "ms", Target(2))])
    with pytest.raises(SystemExit) as end:
        report.end()
    assert end.value.code == "failed: first: TimeoutError\nfailed: second: ValueError: no room"
    out = capsys.readouterr().out.splitlines()
    assert [line[:6] for line in out] == ["| slow", "", "1 of 2"]


def test_a_benchmark_whose_cases_all_end_well_ends_well(capsys: pytest.CaptureFixture[str]) -> None:
    report = Report(("beside: others", ""))
    with report.case("only"):
        report.add([Row("quick", 1, "ms", Target(2), each_leaf=3.0)])
    report.end()
    _, _, head, rule, row, *_ = capsys.readouterr().out.splitlines()
    assert "beside: others" in head
    assert len(head) == len(rule) == len(row)
    assert "3 (3x)" in row
