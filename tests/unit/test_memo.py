"""A value is computed once for each key."""

from elasticquota import memo


def test_a_function_is_called_once_for_each_argument() -> None:
    asked: list[str] = []

    def length(text: str) -> int:
        asked.append(text)
        return len(text)

    remembered = memo.of(length)
    assert [remembered(text) for text in ("a", "bc", "a")] == [1, 2, 1]
    assert asked == ["a", "bc"]


def test_what_is_remembered_of_an_object_is_of_no_other_one_and_until_it_is_forgotten() -> None:
    asked: list[str] = []

    def known(key: str, texts: list[str]) -> str:
        asked.append(key)
        return f"{key} {len(texts)}"

    remembered, equal = memo.ByObject(known), (["x"], ["x"])
    assert {remembered("a", each) for each in (*equal, *equal)} == {"a 1"}
    assert remembered("b", equal[0]) == "b 1"
    assert asked == ["a", "a", "b"]
    equal[0].append("y")
    assert remembered("a", equal[0]) == "a 1"
    remembered.forget()
    assert remembered("a", equal[0]) == "a 2"
