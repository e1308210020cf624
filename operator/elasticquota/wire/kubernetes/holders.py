"""Pod metadata -> user, groups and application to which its resources count (Y14, Y24).

The user is the creator of the pod; admission writes it into YuniKorn's annotation on the pod. An
unreadable annotation counts as an unknown user. The application is read from each of YuniKorn's
labels and annotations, and from Spark's label.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

import msgspec

from elasticquota import names
from elasticquota.model import holder
from elasticquota.model.holder import Holder


STAMP: Final = names.YUNIKORN_PREFIX + "user.info"
"""An annotation with user and groups as JSON."""
APPLICATION: Final = names.YUNIKORN_PREFIX + "app-id"
"""A label and an annotation with the application; the label comes first."""
_OLD: Final = ("applicationId", "spark-app-selector")
"""Older labels with the application."""


class _Stamp(msgspec.Struct, gc=False):
    user: str = ""
    groups: tuple[str, ...] = ()


def read(labels: Mapping[str, str], annotations: Mapping[str, str]) -> Holder:
    """Return the holder of a pod; pods with the same texts share one value."""
    stamp = annotations.get(STAMP, "")
    named = labels.get(APPLICATION) or annotations.get(APPLICATION) or ""
    for key in _OLD:
        named = named or labels.get(key, "")
    return _holder(stamp, named) if stamp or named else holder.NO_HOLDER


def stamp(user: str, groups: Sequence[str]) -> str:
    """Return the annotation value that admission writes; policies compare it literally."""
    return msgspec.json.encode(_Stamp(user, tuple(groups))).decode()


def annotations(found: Holder) -> dict[str, str]:
    """Return the annotations from which ``read`` makes ``found``; an empty text means absent."""
    known = found.user != holder.UNKNOWN
    return {STAMP: stamp(found.user, found.groups) if known else "", APPLICATION: found.application}


@lru_cache(maxsize=1024)
def _holder(text: str, application: str) -> Holder:
    found = _known(text)
    return Holder(found.user or holder.UNKNOWN, found.groups, application)


@lru_cache(maxsize=1024)
def _known(text: str) -> _Stamp:
    try:
        return msgspec.json.decode(text, type=_Stamp) if text else _Stamp()
    except (msgspec.MsgspecError, RecursionError):
        return _Stamp()
