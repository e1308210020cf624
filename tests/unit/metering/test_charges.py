"""Rows for chargeback are exact to the second, and CSV."""

from csv import reader
from io import StringIO

from elasticquota.metering import charges
from elasticquota.metering.charges import Metered
from elasticquota.model.key import Key
from elasticquota.model.resource_hours import ResourceHours, Totals


START = 1_767_225_600
"""2026-01-01T00:00:00Z"""


def hours(**changed: object) -> ResourceHours:
    facts: dict[str, object] = {
        "since": START,
        "at": START + 60,
        "borrowed": {"cpu": 1500},
        "lent": {},
        "until_then": Totals({"cpu": 250}, {"memory": 2**40 * 60}),
    }
    return ResourceHours(**{**facts, **changed})  # type: ignore[arg-type]


def rows(now: int, *metered: Metered) -> list[charges.Charge]:
    return list(charges.charges(metered or (Metered(Key("team", "a"), "root", hours()),), now))


def test_a_row_says_the_exact_seconds_and_the_rounded_hours_of_a_resource() -> None:
    cpu, memory = rows(START + 3660)
    assert (cpu.resource, cpu.borrowed_seconds, cpu.lent_seconds) == ("cpu", "5400.25", "0")
    assert cpu.borrowed_hours == "1.5001"
    assert memory.lent_seconds == str(2**40 * 60)
    assert (cpu.since, cpu.until) == ("2026-01-01T00:00:00Z", "2026-01-01T01:01:00Z")


def test_a_clock_behind_the_controllers_takes_nothing_away() -> None:
    cpu, _ = rows(START)
    assert (cpu.borrowed_seconds, cpu.until) == ("0.25", "2026-01-01T00:01:00Z")


def test_two_reports_differ_by_what_was_borrowed_between_them() -> None:
    first, later = rows(START + 100)[0], rows(START + 160)[0]
    assert float(later.borrowed_seconds) - float(first.borrowed_seconds) == 1.5 * 60


def test_rows_come_by_namespace_quota_and_resource() -> None:
    metered = [Metered(Key(ns, name), "root", hours()) for ns, name in ("yb", "xb", "xa")]
    found = rows(START + 100, *metered)
    assert [(row.namespace, row.quota) for row in found[::2]] == [
        ("x", "a"),
        ("x", "b"),
        ("y", "b"),
    ]


def test_csv_has_a_head_and_reads_back_as_it_was() -> None:
    odd = Metered(Key("team", 'a,"b'), "root", hours())
    found = rows(START + 100, odd)
    text = charges.as_csv(found)
    assert text.splitlines()[0].startswith("namespace,quota,tree,resource,borrowed_seconds")
    assert list(reader(StringIO(text, newline="")))[1:] == [list(row) for row in found]


def test_csv_commands_no_terminal_and_has_a_line_for_each_row() -> None:
    text = charges.as_csv(
        rows(START + 100, Metered(Key("a\x1b[31m", "b\u202e\nc"), "r\rs", hours()))
    )
    assert text.replace("\r\n", "").isprintable()
    assert {row[:3] for row in map(tuple, reader(StringIO(text, newline="")))} == {
        ("namespace", "quota", "tree"),
        ("a?[31m", "b??c", "r?s"),
    }
