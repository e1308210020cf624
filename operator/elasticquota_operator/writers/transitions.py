"""A condition keeps its ``lastTransitionTime`` until its status flips."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from elasticquota import texts


def dated(
    conditions: Sequence[Mapping[str, Any]], status: Mapping[str, Any], now: datetime
) -> list[dict[str, Any]]:
    """``conditions`` with their times, as they follow those in the stored ``status``."""
    written = status.get("conditions")
    before = written if isinstance(written, list) else []
    known = {earlier.get("type"): earlier for earlier in before if isinstance(earlier, Mapping)}
    text = now.strftime("%Y-%m-%dT%H:%M:%SZ")
    return [
        {
            **condition,
            "message": texts.message(condition.get("message", "")),
            "lastTransitionTime": _since(condition, known, text),
        }
        for condition in conditions
    ]


def _since(condition: Mapping[str, Any], known: Mapping[Any, Mapping[str, Any]], now: str) -> str:
    before = known.get(condition["type"], {})
    if before.get("status") == condition["status"] and before.get("lastTransitionTime"):
        return str(before["lastTransitionTime"])
    return now
