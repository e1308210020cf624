"""Answers of the webhook and of the API server, as the pages of the rules show them.

Tests compare those with what a cluster answers (``tests/e2e/test_rejections.py``).
"""

import re
from collections.abc import Iterator
from typing import Final

import rule_index
from message_examples.example import Example


_ANSWER: Final = re.compile(r"```(?:text|console|)\n([^`]*\[(?:EQ|EP|PD)\d+\][^`]*)```")


def examples() -> Iterator[Example]:
    """Yield the answers that the page of each rule shows."""
    for rule in rule_index.rules():
        for answer in _ANSWER.findall(rule.text):
            lines = (" ".join(line.split()) for line in answer.strip().splitlines())
            yield Example(rule.code, rule.title, "\n".join(lines))
