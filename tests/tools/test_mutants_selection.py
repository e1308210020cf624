"""A sample of mutants can be repeated, and the table says for each package how many survived."""

import pytest

from mutation import selection


USAGE = [f"elasticquota.ledger.pods.usage.x_added__mutmut_{number}" for number in range(1, 41)]
LEVEL = [f"elasticquota.sharing.level.x_share__mutmut_{number}" for number in range(1, 4)]
ALL = USAGE + LEVEL


def test_the_same_seed_gives_the_same_sample() -> None:
    assert selection.sample(ALL, 5, 7) == selection.sample(reversed(ALL), 5, 7)


def test_another_seed_gives_another_sample() -> None:
    assert selection.sample(USAGE, 5, 7) != selection.sample(USAGE, 5, 8)


def test_a_sample_takes_as_many_of_each_package_or_all_if_there_are_fewer() -> None:
    found = selection.sample(ALL, 5, 7)
    assert len(set(found)) == 8
    assert set(found) >= set(LEVEL)
    assert set(found) <= set(ALL)


def test_the_part_of_a_package_does_not_depend_on_the_others() -> None:
    alone = selection.sample(USAGE, 5, 7)
    assert [name for name in selection.sample(ALL, 5, 7) if name in USAGE] == alone


def test_without_words_all_mutants_match() -> None:
    assert selection.matching(ALL, []) == ALL


@pytest.mark.parametrize(
    ("word", "names"),
    [
        ("sharing", LEVEL),
        ("elasticquota.sharing.*", LEVEL),
        ("*.x_share__mutmut_2", LEVEL[1:2]),
        (USAGE[0], USAGE[:1]),
    ],
)
def test_a_word_is_a_package_or_the_name_of_mutants(word: str, names: list[str]) -> None:
    assert selection.matching(ALL, [word]) == names


def test_several_words_match_what_each_of_them_matches() -> None:
    assert selection.matching(ALL, [USAGE[0], "sharing"]) == [USAGE[0], *LEVEL]


def test_a_word_that_matches_no_mutant_is_refused() -> None:
    with pytest.raises(ValueError, match=r"no mutant is called elasticquota\.lodger\.\*"):
        selection.matching(ALL, ["ledger", "lodger"])


def test_the_table_counts_time_outs_as_detected_and_all_else_as_survived() -> None:
    verdicts = dict.fromkeys(USAGE, "killed")
    verdicts |= {USAGE[0]: "survived", USAGE[1]: "no tests", USAGE[2]: "timeout"}
    verdicts |= dict.fromkeys(LEVEL, "killed")
    table = selection.Table.of(verdicts)
    assert str(table).splitlines() == [
        "| package | mutants | killed | timed out | survived | detected |",
        "| --- | --- | --- | --- | --- | --- |",
        "| ledger | 40 | 37 | 1 | 2 | 95.0% |",
        "| sharing | 3 | 3 | 0 | 0 | 100.0% |",
        "| all | 43 | 40 | 1 | 2 | 95.3% |",
    ]
    assert table.least() == 95.0
