"""Pod metadata -> for whom it holds what it holds: user, groups and application (Y14, Y24).

The user is who created the pod, as admission writes it on the pod in YuniKorn's annotation; what
cannot be read there is nobody. An application is named in each of YuniKorn's spellings, or Spark's.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

import msgspec

from elasticquota.model import holder
from elasticquota.model.holder import Holder
from elasticquota.wire.integrations.queue_namespaces import PREFIX


STAMP: Final = PREFIX + "user.info"
"""Annotation."""
APPLICATION: Final = PREFIX + "app-id"
"""A label, and an annotation."""
_OLD: Final = ("applicationId", "spark-app-selector")
"""Labels."""


class _Stamp(msgspec.Struct, gc=False):
    user: str = ""
    groups: tuple[str, ...] = ()


def read(labels: Mapping[str, str], annotations: Mapping[str, str]) -> Holder:
    """Pods that say the same share one value."""
    stamp = annotations.get(STAMP, "")
    named = labels.get(APPLICATION) or annotations.get(APPLICATION) or ""
    for key in _OLD:
        named = named or labels.get(key, "")
    return _holder(stamp, named) if stamp or named else holder.NOBODY


def stamp(user: str, groups: Sequence[str]) -> str:
    """What admission writes, and policies expect to the letter."""
    return msgspec.json.encode(_Stamp(user, tuple(groups))).decode()


def annotations(found: Holder) -> dict[str, str]:
    """What ``read`` reads; empty texts say nothing."""
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
