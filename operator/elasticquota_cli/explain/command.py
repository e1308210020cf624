"""``explain``: reads a cluster or files, decides as the controller does, and prints one object.

Results go to standard output and nothing else does; notes go to standard error, and in JSON stand
in the report as well. Exit codes: 0 done, 1 there is no such object or no cluster, 2 bad input.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from elasticquota.model.key import Key
from elasticquota_cli.explain import (
    files,
    live,
    picture,
    pod,
    published,
    quota,
    report,
    show_pod,
    show_quota,
)
from elasticquota_cli.explain.live import Glimpse
from elasticquota_cli.failure import Failure
from elasticquota_kube import configuration
from elasticquota_kube.configuration import Configuration, ConfigurationError


_BAD_INPUT: Final = 2


@dataclass(frozen=True, slots=True)
class Request:
    """What the command line asks for."""

    what: Literal["pod", "quota"]
    name: str
    files: Sequence[str] = ()
    output: Literal["table", "json"] = "table"
    kubeconfig: Path | None = None
    config: Path | None = None


def run(request: Request) -> None:
    """Carry out the verb; raises `Failure`."""
    key = _key(request)
    found = _explanation(request, key)
    for note in found.notes:
        print(f"note: {note}", file=sys.stderr)
    if request.output == "json":
        print(report.as_json(found))
    elif isinstance(found, report.PodExplanation):
        show_pod.pod(found)
    else:
        show_quota.quota(found)


def _explanation(request: Request, key: Key) -> report.Report:
    chosen = _chosen(request.config)
    scene = (
        files.read(request.files, chosen)
        if request.files
        else live.read(request.kubeconfig, key.namespace, chosen or Configuration())
    )
    if isinstance(scene, Glimpse):
        return (published.pod if request.what == "pod" else published.quota)(scene, key)
    return (pod.explain if request.what == "pod" else quota.explain)(scene, picture.of(scene), key)


def _key(request: Request) -> Key:
    namespace, _, name = request.name.rpartition("/")
    if not name or "/" in namespace or (request.what == "pod" and not namespace):
        wanted = "NAMESPACE/NAME" if request.what == "pod" else "NAME or NAMESPACE/NAME"
        raise Failure(f"'{request.name}': must be {wanted}", _BAD_INPUT)
    return Key(namespace, name)


def _chosen(config: Path | None) -> Configuration | None:
    try:
        return configuration.load(config) if config else None
    except ConfigurationError as error:
        raise Failure(str(error), _BAD_INPUT) from None
