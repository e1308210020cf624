"""JSON merge patch (RFC 7386) and JSON patch (RFC 6902)."""

import copy
from typing import Any

import jsonpatch
import jsonpointer

from api_double import refusals


MERGE = "application/merge-patch+json"
JSON = "application/json-patch+json"


def apply(content_type: str, obj: dict[str, Any], patch: Any) -> dict[str, Any]:
    """Return the patched object; raises `Refusal` as the API server would."""
    if content_type == MERGE:
        merged: dict[str, Any] = _merge(copy.deepcopy(obj), patch)
        return merged
    if content_type == JSON:
        try:
            said = [each for each in patch if not _is_missing_as_tested(obj, each)]
            patched: dict[str, Any] = jsonpatch.apply_patch(obj, said)
        except (jsonpatch.JsonPatchException, jsonpointer.JsonPointerException) as error:
            raise refusals.invalid(
                f"the server rejected our request due to an error in our request: {error}"
            ) from error
        return patched
    raise refusals.Refusal(415, "UnsupportedMediaType", f"not served by the double: {content_type}")


def _is_missing_as_tested(obj: dict[str, Any], operation: dict[str, Any]) -> bool:
    """The API server treats a missing value as null; the standard calls it an error."""
    if operation["op"] != "test" or operation["value"] is not None:
        return False
    where, _, key = operation["path"].rpartition("/")
    parent = jsonpointer.resolve_pointer(obj, where)
    return isinstance(parent, dict) and jsonpointer.unescape(key) not in parent


def _merge(target: Any, patch: Any) -> Any:
    if not isinstance(patch, dict):
        return patch
    result = target if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = _merge(result.get(key), value)
    return result
