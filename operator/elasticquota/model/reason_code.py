"""The reason code at the end of a message: one stable word in brackets, a part of the API.

The sentence before it is for people and may change. Programs read the code.
"""


def closed_by(text: str, code: str) -> str:
    """Return ``text`` with ``code`` at its end."""
    return f"{text} [{code}]"


def at_end(text: str) -> str:
    """Return the code at the end of a message; empty: there is none."""
    if not text.endswith("]"):
        return ""
    return text[text.rfind("[") + 1 : -1]
