"""The page with an example of each message, made by the code that writes it."""

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Final

from message_examples import conditions, evictions, waits
from message_examples.example import Example
from reference_pages.sources import ROOT
from reference_pages.tables import code, prose


_INTRO: Final = """# Messages

An example of each message that the code writes, by its reason. Reasons are stable; sentences are
for people. Answers to refused writes are with the [rules](../rules/README.md). Three dots stand for
words of the example above.
"""
_WAITS: Final = """
## Waiting pods

In the condition `PodScheduled` and the event `QuotaWait` of a waiting pod or job. What to do is in
[reasons](reasons.md#why-a-pod-waits). Left out below are the quota at the begin, the place in the
queue, which stands before the last sentence, and at the end the command that says more, and the
reason in brackets:

```text
{begin}… Position 6 of 6. … {end}
```
"""
_EVICTIONS: Final = """
## Evicted pods

In the event `QuotaReclaim` of an evicted pod or a suspended job
([my pod was evicted](../how-to/pod-evicted.md)). What most end with is left out below: `{again}`
"""
_CONDITIONS: Final = """
## Conditions

Of quotas, profiles and objects of other systems, by type, status and reason. What the page of a
[rule](../rules/README.md) shows is left out, and so is what waits, where three dots begin
a message: `pod team-a/x is within the guarantee of its quota and waits for longer than 300 s:`

"""
_PLACE: Final = re.compile(r" Position \d+ of \d+\.")
_OF_A_RULE: Final = re.compile(r"\[(E[QP]\d{4})\]$")
_NAME_OR_NUMBER: Final = re.compile(r"'[^']*'|\d+|[.,:;()]")
_CLAUSE_END: Final = re.compile(r"(?<=[.;]) ")
_AGAIN: Final = "It starts again when team-a has room."
_STARVED: Final = re.compile(r"^\w+ \S+ is within .* and waits for longer than \d+ s: ")
_BEGIN: Final = "Waiting for quota team-a: "
_END: Final = re.compile(r" More: kubectl elastic-quota explain \S+ \S+ \[\w+\]$")


def page() -> str:
    """The page docs/reference/messages.md."""
    waiting = [each for each in waits.examples() if each.when not in waits.VARIANTS]
    found = _END.search(waiting[0].text)
    end = found[0].strip() if found else ""
    started = [each._replace(code="QuotaAdmitted") for each in waits.admissions()]
    rows = sorted(
        f"* `{each.code}`: {prose(_STARVED.sub('… ', each.text))}\n"
        for each in conditions.examples()
        if not _is_with_its_rule(each.text)
    )
    return (
        "".join(
            (
                _INTRO,
                _part(_WAITS.format(begin=_BEGIN, end=end), [*waiting, *started]),
                _part(_EVICTIONS.format(again=_AGAIN), evictions.examples()),
                _CONDITIONS,
                *dict.fromkeys(rows),
            )
        ).rstrip("\n")
        + "\n"
    )


def _is_with_its_rule(text: str) -> bool:
    """Whether the section of the rule that ``text`` ends with has its longest run of words."""
    rule = _OF_A_RULE.search(text)
    if rule is None:
        return False
    name = "quotas" if rule[1].startswith("EQ") else "profiles"
    rules = (ROOT / f"docs/rules/{name}.md").read_text(encoding="utf-8")
    section = rules.partition(f"\n## {rule[1]}\n")[2].partition("\n## ")[0]
    return max(_NAME_OR_NUMBER.split(text[: rule.start()]), key=len).strip() in section


def _part(intro: str, found: Iterable[Example]) -> str:
    in_order = sorted(found, key=lambda each: each.code)
    parts = [intro]
    for reason, of_reason in groupby(in_order, key=lambda each: each.code):
        parts.append(f"\n### {reason}\n\n")
        above: list[str] = []
        for each in of_reason:
            clauses = _CLAUSE_END.split(_middle(each.text))
            parts.append(f"* {_sentence(each.when)}: {code(' '.join(_without(clauses, above)))}\n")
            above = clauses
    return "".join(parts)


def _without(clauses: Iterable[str], above: Iterable[str]) -> Iterator[str]:
    """``clauses`` with dots in place of those that are long and stand in the example above."""
    for same, found in groupby(clauses, key=lambda each: each in above and each.count(" ") > 5):
        yield from ("…",) if same else found


def _middle(text: str) -> str:
    """A message without what all messages of waiting or evicted pods have."""
    middle = _PLACE.sub("", _END.sub("", text))
    return middle.removeprefix(_BEGIN).removesuffix(f" {_AGAIN}")


def _sentence(when: str) -> str:
    return when[:1].upper() + when[1:]
