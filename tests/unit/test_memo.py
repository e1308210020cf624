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
