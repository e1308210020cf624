"""The page with an example of each message, made by the code that writes it."""

import re
import textwrap
from collections.abc import Iterable
from itertools import chain, groupby
from pathlib import Path
from typing import Final

from message_examples import conditions, evictions, waits
from message_examples.example import Example
from reference_pages.tables import code, prose, table


_WIDTH: Final = 110
_INTRO: Final = """# Messages

An example of each message that the code writes, by its reason. Reasons are stable; sentences are
for people. Answers to refused writes are with the [rules](../rules/README.md).
"""
_WAITS: Final = """
## Waiting pods

In the condition `PodScheduled` and the event `QuotaWait` of a waiting pod or job. What to do is in
[reasons](reasons.md#why-a-pod-waits). Each ends with the command that says more and with the
reason in brackets, which are left out below:

```text
{end}
```
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
_END: Final = re.compile(r" More: kubectl elastic-quota explain \S+ \S+ \[\w+\]$")


def page(_root: Path) -> str:
    """The page docs/reference/messages.md."""
    waiting = [each for each in waits.examples() if each.when not in waits.OF_ONE_OR_NONE]
    found = _END.search(waiting[0].text)
    started = [each._replace(code="QuotaAdmitted") for each in waits.admissions()]
    rows = sorted((code(each.code), prose(each.text)) for each in conditions.examples())
    return (
        "".join(
            (
                _INTRO,
                _part(_WAITS.format(end=found[0].strip() if found else ""), [*waiting, *started]),
                _part(_EVICTIONS, evictions.examples()),
                _CONDITIONS,
                table(("type, status and reason", "message"), dict.fromkeys(rows)),
            )
        ).rstrip("\n")
        + "\n"
    )


def _part(intro: str, found: Iterable[Example]) -> str:
    in_order = sorted(found, key=lambda each: each.code)
    parts = [intro]
    for reason, of_reason in groupby(in_order, key=lambda each: each.code):
        parts.append(f"\n### {reason}\n")
        parts.extend(
            f"\n{_sentence(each.when)}:\n\n{_block(_END.sub('', each.text))}" for each in of_reason
        )
    return "".join(parts)


def _sentence(when: str) -> str:
    return when[:1].upper() + when[1:]


def _block(text: str) -> str:
    lines = (
        textwrap.wrap(line, _WIDTH, break_long_words=False, break_on_hyphens=False)
        for line in text.splitlines()
    )
    return "\n".join(("```text", *chain.from_iterable(lines), "```", ""))
