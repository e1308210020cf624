"""Answers of the webhook and of the API server, as the pages of the rules show them.

Tests compare those with what a cluster answers (``tests/e2e/test_rejections.py``).
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from message_examples.example import Example


_ANSWER: Final = re.compile(r"```(?:text|console|)\n([^`]*\[(?:EQ|EP|PD)\d+\][^`]*)```")


def examples(root: Path) -> Iterator[Example]:
    """Yield the answers that the page of each rule shows."""
    for page in sorted((root / "docs" / "rules").glob("*[0-9].md")):
        text = page.read_text(encoding="utf-8")
        title = text.splitlines()[0].partition(": ")[2]
        for answer in _ANSWER.findall(text):
            lines = (" ".join(line.split()) for line in answer.strip().splitlines())
            yield Example(page.stem, title, "\n".join(lines))
