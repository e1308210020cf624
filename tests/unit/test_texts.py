"""What users wrote reaches people printable, on one line, and cut."""

import json

import pytest

from elasticquota import texts


@pytest.mark.parametrize(
    "mark", ["\x1b", "\n", "\r", "\x9b", "\u202e", "\u2066", "\u200b", "\u2028"]
)
def test_what_commands_a_terminal_or_turns_the_reading_is_replaced(mark: str) -> None:
    assert texts.printable(f"a{mark}b") == "a?b"


def test_other_alphabets_are_kept() -> None:
    assert texts.printable("größe 大小") == "größe 大小"


def test_a_text_is_cut_where_it_says_so() -> None:
    assert texts.printable("a" * 20, 10) == "aaaaaaa..."


def test_a_message_is_cut_in_the_middle_and_keeps_the_reason_at_its_end() -> None:
    found = texts.message("owner " + "K" * 200_000 + " [QuotaExhausted]")
    assert len(found) <= texts.LONGEST
    assert found.startswith("owner K")
    assert found.endswith("K [QuotaExhausted]")


def test_json_is_escaped_and_means_the_same() -> None:
    hostile = "a\x1b[31m\u202eb\x9bc\U000e0001"
    line = json.dumps({hostile: "größe"}, ensure_ascii=False)
    assert texts.escaped(line).isprintable()
    assert "größe" in texts.escaped(line)
    assert json.loads(texts.escaped(line)) == {hostile: "größe"}
