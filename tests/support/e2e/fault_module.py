"""Defects in the running processes, for tests that need one.

No object that the API server stores makes decisions raise or is unreadable: such a case would be
corrected. So the defect comes by values that any user has (``extraEnv``, ``extraVolumes``): Python
imports ``sitecustomize`` before the program.
"""

import contextlib
from collections.abc import Iterator
from typing import Final

from installation import CONTROLLER, NAMESPACE, Installation
from users import Document, User


NAME: Final = "fault"
_PLACE: Final = "/fault"
_SOURCE: Final = """
from pathlib import Path

import msgspec

from elasticquota.decisions import decide
from elasticquota.wire.codec import shallow

FOLDER = Path(__file__).parent
sound_decide, sound_decode = decide.decide, shallow.decode


def failing_decide(*given):
    if (FOLDER / "decide").read_text() == "raise":
        raise RuntimeError("the fault of a test")
    return sound_decide(*given)


def failing_decode(decoder, content):
    kind = getattr(getattr(decoder, "__self__", None), "type", None)
    if getattr(kind, "__name__", "") == "StoredQuota" and b"unreadable-by-fault" in bytes(content):
        raise msgspec.ValidationError("the fault of a test")
    return sound_decode(decoder, content)


decide.decide, shallow.decode = failing_decide, failing_decode
"""

_PROCESS: Final[Document] = {
    "extraEnv": [{"name": "PYTHONPATH", "value": f"{_PLACE}/:$(PYTHONPATH)"}],
    "extraVolumes": [{"name": NAME, "configMap": {"name": NAME}}],
    "extraVolumeMounts": [{"name": NAME, "mountPath": _PLACE}],
}
VALUES: Final[Document] = {"controller": _PROCESS, "webhook": _PROCESS}


@contextlib.contextmanager
def installed(product: Installation, admin: User) -> Iterator[None]:
    """Both processes have the defects, which rest; logs of controllers go at the end."""
    admin.create(
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": NAME, "namespace": NAMESPACE},
            "data": {"sitecustomize.py": _SOURCE, "decide": "go on"},
        }
    )
    with product.upgraded(VALUES):
        faulty = set(product.pods(CONTROLLER))
        try:
            yield
        finally:
            decisions_raise(admin, raising=False)
    # At the end of the session no log may contain a traceback: these are ours.
    product.forget_logs(faulty)
    admin.delete("ConfigMap", NAME, NAMESPACE)


def decisions_raise(admin: User, *, raising: bool) -> None:
    """Let each decision raise from now on, once the pod's mount shows it, or no decision."""
    change = {"data": {"decide": "raise" if raising else "go on"}}
    admin.patch("ConfigMap", NAME, NAMESPACE, change=change)
