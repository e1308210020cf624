"""A section is read from a decoded document; all of its faults are found, one line each."""

from typing import Annotated, Any, Literal

import pytest
from msgspec import Meta

from elasticquota.structs import field
from elasticquota_config.fields import reading, section
from elasticquota_config.fields.reading import FaultsError
from elasticquota_config.fields.section import Section, ValueCheck


def _no_spaces(text: str) -> str:
    return f"must have no spaces, got '{text}'" if " " in text else ""


Word = Annotated[str, ValueCheck(_no_spaces)]


class Part(Section, frozen=True):
    size: Annotated[int, Meta(ge=1, le=9)]
    name: Annotated[str, Meta(min_length=1, max_length=5, pattern="[a-z]*")] = "part"


class Whole(Section, frozen=True):
    part: Part = Part(size=1)
    is_on: bool = False
    level: Literal["off", "low", "high"] = "low"
    first_words: tuple[Word, ...] = ()
    others: Annotated[tuple[Part, ...], Meta(max_length=2)] = ()
    limit: Annotated[int, Meta(ge=0)] | None = 1
    labels: dict[Word, bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.is_on and self.level == "off":
            raise ValueError("must not be on with level off")


def faults(document: Any) -> list[str]:
    with pytest.raises(FaultsError) as refused:
        reading.read(Whole, document)
    return str(refused.value).splitlines()


def test_absent_keys_have_their_defaults() -> None:
    assert reading.read(Whole, {}) == Whole()


def test_what_is_written_reads_back_as_the_same_section() -> None:
    whole = Whole(
        Part(9, "abc"), True, "high", ("a", "b"), (Part(2),), limit=None, labels={"x": True}
    )
    assert reading.read(Whole, section.plain(whole)) == whole


def test_a_bare_off_which_yaml_reads_as_false_is_the_level_off() -> None:
    assert reading.read(Whole, {"level": False}).level == "off"


@pytest.mark.parametrize(
    ("document", "line"),
    [
        ([], "the file: must be a mapping of keys to values, got []"),
        ({"part": 3}, "part: must be a mapping of keys to values, got 3"),
        ({"part": {}}, "part.size: must be given"),
        ({"part": {"size": 0}}, "part.size: must be at least 1, got 0"),
        ({"part": {"size": 10}}, "part.size: must be at most 9, got 10"),
        ({"part": {"size": True}}, "part.size: must be a whole number, got True"),
        ({"part": {"size": 1.0}}, "part.size: must be a whole number, got 1.0"),
        ({"part": {"size": 1, "name": ""}}, "part.name: must be a text that is not empty, got ''"),
        (
            {"part": {"size": 1, "name": "abcdef"}},
            "part.name: must be at most 5 characters long, got 'abcdef'",
        ),
        (
            {"part": {"size": 1, "name": "a\n"}},
            "part.name: must be a Kubernetes name (lower case letters, digits, '-' and '.'), "
            "got 'a\\n'",
        ),
        ({"isOn": "yes"}, "isOn: must be true or false, got 'yes'"),
        ({"isOn": None}, "isOn: must be true or false, got nothing"),
        ({"is_on": True}, "is_on: unknown key, did you mean isOn?"),
        (
            {"zzz": 1},
            "zzz: unknown key; known here: part, isOn, level, firstWords, others, limit, labels",
        ),
        ({7: 1}, "7: keys must be texts"),
        ({"level": "mid"}, "level: must be one of 'off', 'low' or 'high', got 'mid'"),
        ({"level": []}, "level: must be one of 'off', 'low' or 'high', got []"),
        ({"firstWords": "one"}, "firstWords: must be a list, got 'one'"),
        ({"firstWords": [3]}, "firstWords.0: must be a text, got 3"),
        ({"labels": {7: True}}, "labels.7: must be a text, got 7"),
        ({"labels": []}, "labels: must be a mapping of keys to values, got []"),
        ({"firstWords": ["a", "b c"]}, "firstWords.1: must have no spaces, got 'b c'"),
        ({"others": 3 * [{"size": 2}]}, "others: must be at most 2 entries, got "),
        ({"limit": -1}, "limit: must be at least 0, got -1"),
        ({"labels": {"a b": True}}, "labels.a b: must have no spaces, got 'a b'"),
        ({"labels": {"a": 1}}, "labels.a: must be true or false, got 1"),
        ({"isOn": True, "level": "off"}, "the file: must not be on with level off"),
    ],
)
def test_a_fault_has_its_path_what_is_wanted_and_what_was_found(document: Any, line: str) -> None:
    (found,) = faults(document)
    assert found.startswith(line)


def test_all_faults_are_found_together_sorted_by_path() -> None:
    assert faults({"part": {"size": 0, "nme": "x"}, "isOn": 1, "labels": {"a": 1, "b": 2}}) == [
        "isOn: must be true or false, got 1",
        "labels.a: must be true or false, got 1",
        "labels.b: must be true or false, got 2",
        "part.nme: unknown key, did you mean name?",
        "part.size: must be at least 1, got 0",
    ]


def test_rules_between_two_keys_are_checked_when_each_of_them_is_right() -> None:
    assert faults({"isOn": True, "level": "off", "limit": -1}) == [
        "limit: must be at least 0, got -1"
    ]
