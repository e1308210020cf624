"""Reads the state of a job: it waits until a sign says that it runs, succeeded or failed."""

from typing import Any, Literal

from elasticquota.jobs import paths
from elasticquota.jobs.adapter import JobAdapter, Sign


State = Literal["Waiting", "Running", "Succeeded", "Failed"]


def state(document: Any, adapter: JobAdapter) -> State:
    """The state of an object; an end state takes precedence over ``Running``."""
    if any(holds(sign, document) for sign in adapter.succeeded):
        return "Succeeded"
    if any(holds(sign, document) for sign in adapter.failed):
        return "Failed"
    if any(holds(sign, document) for sign in adapter.running):
        return "Running"
    return "Waiting"


def holds(sign: Sign, document: Any) -> bool:
    """Whether any value at the sign's path is one that the sign looks for."""
    return any(_meant(sign, found) for found in paths.values(document, sign.path))


def _meant(sign: Sign, found: Any) -> bool:
    if not sign.values:
        return type(found) is int and found > 0
    if isinstance(found, list):
        return any(_is_true(each) and each.get("type") in sign.values for each in found)
    if isinstance(found, dict):
        return any(found.get(member) is not None for member in sign.values)
    return isinstance(found, str) and found in sign.values


def _is_true(condition: Any) -> bool:
    return isinstance(condition, dict) and condition.get("status") == "True"
