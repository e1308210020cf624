"""The pages with an example of each message, made by the code that writes it."""

import textwrap
from collections.abc import Iterable
from itertools import chain, groupby
from pathlib import Path
from typing import Final

from message_examples import conditions, evictions, refusals, waits
from message_examples.example import Example


_WIDTH: Final = 110
_WAITS: Final = """# Messages of waiting pods

Each message that a waiting pod or job may have, in its condition `PodScheduled` and in its event
`QuotaWait`. The code writes them; this page is compared with it. The word in brackets is stable;
the sentence is for people. What to do is in [reasons](../reasons.md#why-a-pod-waits).
"""
_EVICTIONS: Final = """# Messages of evicted pods

Each message that an evicted pod or a suspended job may have, in its event `QuotaReclaim`. See
[my pod was evicted](../../how-to/pod-evicted.md).
"""
_CONDITIONS: Final = """# Messages of conditions

Conditions of quotas and profiles, one for each type, status and reason, as small clusters have
them. All reasons are in [conditions, reasons and events](../reasons.md).
"""
_REFUSALS: Final = """# Answers to a refused write

One answer for each rule, as the API server gives it. The [rules](../../rules/README.md) say why.
"""


def of_waits(_root: Path) -> str:
    started = [each._replace(code="QuotaAdmitted") for each in waits.admissions()]
    return _page(_WAITS, [*waits.examples(), *started])


def of_evictions(_root: Path) -> str:
    return _page(_EVICTIONS, evictions.examples())


def of_conditions(_root: Path) -> str:
    return _page(_CONDITIONS, conditions.examples())


def of_refusals(root: Path) -> str:
    return _page(_REFUSALS, refusals.examples(root))


def _page(intro: str, found: Iterable[Example]) -> str:
    in_order = sorted(found, key=lambda each: each.code)
    parts = [intro]
    for code, of_code in groupby(in_order, key=lambda each: each.code):
        heading = f"`{code}`" if " " in code else code  # reasons are names, not words
        parts.append(f"\n## {heading}\n")
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
