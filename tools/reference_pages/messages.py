"""The page with an example of each message, made by the code that writes it."""

import textwrap
from collections.abc import Iterable
from itertools import chain, groupby
from pathlib import Path
from typing import Final

from message_examples import conditions, evictions, waits
from message_examples.example import Example


_WIDTH: Final = 110
_INTRO: Final = """# Messages

An example of each message that the code writes; this page is compared with it. The word in brackets
is stable; the sentence is for people. Answers to refused writes are with the
[rules](../rules/README.md).
"""
_WAITS: Final = """
## Waiting pods

In the condition `PodScheduled` and the event `QuotaWait` of a waiting pod or job. What to do is in
[reasons](reasons.md#why-a-pod-waits).
"""
_EVICTIONS: Final = """
## Evicted pods

In the event `QuotaReclaim` of an evicted pod or a suspended job
([my pod was evicted](../how-to/pod-evicted.md)).
"""
_CONDITIONS: Final = """
## Conditions

Of quotas, profiles and objects of other systems: one for each type, status and reason.
"""


def page(_root: Path) -> str:
    """The page docs/reference/messages.md."""
    started = [each._replace(code="QuotaAdmitted") for each in waits.admissions()]
    return "".join(
        (
            _INTRO,
            _part(_WAITS, [*waits.examples(), *started]),
            _part(_EVICTIONS, evictions.examples()),
            _part(_CONDITIONS, conditions.examples()),
        )
    )


def _part(intro: str, found: Iterable[Example]) -> str:
    in_order = sorted(found, key=lambda each: each.code)
    parts = [intro]
    for code, of_code in groupby(in_order, key=lambda each: each.code):
        heading = f"`{code}`" if " " in code else code  # reasons are names, not words
        parts.append(f"\n### {heading}\n")
        parts.extend(f"\n{_sentence(each.when)}:\n\n{_block(each.text)}" for each in of_code)
    return "".join(parts)


def _sentence(when: str) -> str:
    return when[:1].upper() + when[1:]


def _block(text: str) -> str:
    lines = (
        textwrap.wrap(line, _WIDTH, break_long_words=False, break_on_hyphens=False)
        for line in text.splitlines()
    )
    return "\n".join(("```text", *chain.from_iterable(lines), "```", ""))
