"""Expands ``$(NAME)`` in a command, argument or value, as the kubelet does.

An unknown name stays as written; ``$$`` is a dollar sign, so ``$$(NAME)`` is ``$(NAME)``.
"""

import re
from collections.abc import Mapping


_REFERENCE = re.compile(r"\$(?:\$|\(([^()]*)\))")


def expand(text: str, variables: Mapping[str, str]) -> str:
    """``text`` with every reference to one of ``variables`` replaced, without repeating."""

    def value(match: re.Match[str]) -> str:
        name = match.group(1)
        if name is None:
            return "$"
        return variables.get(name, match.group(0))

    return _REFERENCE.sub(value, text)
