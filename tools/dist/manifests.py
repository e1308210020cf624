"""The chart's defaults as manifests, for ``kubectl apply`` and as a base for kustomize.

They are rendered for the oldest Kubernetes that the chart takes, so all versions take them.
"""

import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import yaml


RELEASE: Final = "elastic-quota"
NAMESPACE: Final = "elastic-quota-system"
_OLDEST: Final = "1.30.0"
_SEPARATOR: Final = "---\n"

Document = dict[str, Any]


def rendered(helm: Path, chart: Path, values: Mapping[str, object] | None = None) -> str:
    """Render a chart without its tests; raises `subprocess.CalledProcessError`."""
    return subprocess.run(
        [
            *(helm, "template", RELEASE, chart, "--namespace", NAMESPACE),
            *("--skip-tests", "--kube-version", _OLDEST, "--values", "-"),
        ],
        input=yaml.safe_dump(dict(values or {})),
        check=True,
        capture_output=True,
        text=True,
    ).stdout


def install(manifests: str) -> str:
    """All in one file: the namespace, the definitions, then the rest."""
    definitions, rest = _parted(manifests)
    return "".join([_text(_namespace()), *definitions, *rest])


def kustomize(manifests: str, version: str) -> dict[str, str]:
    """The files of a base, by their names."""
    definitions, rest = _parted(manifests)
    base = {
        "apiVersion": "kustomize.config.k8s.io/v1beta1",
        "kind": "Kustomization",
        "metadata": {"name": f"elastic-quota-operator-{version}"},
        "resources": ["namespace.yaml", "definitions.yaml", "operator.yaml"],
    }
    return {
        "kustomization.yaml": yaml.safe_dump(base, sort_keys=False),
        "namespace.yaml": _text(_namespace()),
        "definitions.yaml": "".join(definitions),
        "operator.yaml": "".join(rest),
    }


def _parted(manifests: str) -> tuple[list[str], list[str]]:
    """The definitions of custom resources, and all other documents, as text."""
    definitions: list[str] = []
    rest: list[str] = []
    for document, text in _documents(manifests):
        is_definition = document["kind"] == "CustomResourceDefinition"
        (definitions if is_definition else rest).append(text)
    return definitions, rest


def _documents(manifests: str) -> Iterator[tuple[Document, str]]:
    for text in f"\n{manifests}".split(f"\n{_SEPARATOR}"):
        document = yaml.safe_load(text)
        if document:
            yield document, f"{_SEPARATOR}{text.rstrip()}\n"


def _namespace() -> Document:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}


def _text(document: Document) -> str:
    return _SEPARATOR + str(yaml.safe_dump(document, sort_keys=False))
