"""The check of prose finds refused forms where people read them, and leaves kept lines alone."""

from pathlib import Path

import pytest

import prose


STYLE = prose.Style(prose.PAGE.read_text("utf-8"))


@pytest.mark.parametrize(
    ("name", "text", "lines"),
    [
        ("a.py", '"""Nobody waits for it."""\n', [1]),  # prose: keep
        ("a.py", "x = 1  # computed anew\n", [1]),  # prose: keep
        ("a.py", 'x = f"pod {1} was let in and waits"\n', [1]),  # prose: keep
        ("a.py", "def test_nobody_waits() -> None: ...\n", [1]),
        ("a.py", 'x = "nobody"\n', []),
        ("a.py", 'x = "user nobody holds it"  # prose: keep\n', []),
        ("a.py", '"""One pod.\n\nIt came and it was let\nin."""\n', [3]),
        ("a.md", "One line.\n\nIt is made anew.\n", [3]),  # prose: keep
        ("a.md", "```\nmade anew\n```\n", []),
        ("a.yaml", "key: anew  # nobody reads this\n", [1]),  # prose: keep
        ("a.svg", "nobody", []),
    ],
)
def test_refused_forms_are_found_by_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str, lines: list[int]
) -> None:
    monkeypatch.setattr(prose, "ROOT", tmp_path)
    path = tmp_path / name
    path.write_text(text, "utf-8")
    assert [finding.line for finding in prose.look(STYLE, path)] == lines
