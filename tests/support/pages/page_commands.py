"""Commands of ours on a page: in its blocks as they are typed, and in its sentences."""

import re
import shlex

import page_blocks


_OURS = re.compile(r"(?:^|(?<=\$ )|(?<=<\()|(?<=\| )|(?<=; ))(?:kubectl )?elastic-quota (?=[a-z-])")
_END = re.compile(r"\)(?=\s|$)|\s(?:[|;&#]|\d?>)")


def whole(text: str) -> list[list[str]]:
    """The words of each command in the blocks of a page, without the program's name."""
    lines = [line for block in page_blocks.of(text, "sh", "console") for line in block.lines]
    found = []
    for line in lines:
        for start in _OURS.finditer(line):
            words = _END.split(line[start.end() :], maxsplit=1)[0]
            found.append(shlex.split(words.strip()))
    return found


def mentioned(text: str) -> list[list[str]]:
    """The words of each command in backticks in the sentences of a page, often without flags."""
    spans = re.findall(r"`((?:kubectl )?elastic-quota [^`]+)`", page_blocks.sentences(text))
    return [shlex.split(_OURS.sub("", span, count=1)) for span in spans]
