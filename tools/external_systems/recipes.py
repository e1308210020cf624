"""How each external program is built from its Go module, and where its own manifests are.

Each system has a folder with a ``go.mod`` of its own, so that no system decides the versions of
another one or of the control plane. The module of a system contains its chart and its CRDs, so a
test installs what that version publishes.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import module_source
from local_cluster import build
from local_cluster.build import Recipe


_HERE: Final = Path(__file__).parent
_CACHE: Final = build.TOOLS.parent / ".cache" / "external-systems"
_OURS: Final = "."
"""The package of a program of ours around a system's packages: it is in the system's folder."""


@dataclass(frozen=True, slots=True)
class System:
    """An external system whose programs are built from one Go module."""

    name: str
    """Also the folder with its ``go.mod`` and ``go.sum``."""
    module: str
    packages: Mapping[str, str]
    """The package of each program, below the module; ``.`` is a program of ours, in the folder."""
    takes: str
    """How long a build takes."""

    @property
    def recipe(self) -> Recipe:
        """How its programs are built; they are kept apart from those of the control plane."""
        packages = {
            name: path if path == _OURS else f"{self.module}/{path}".rstrip("/")
            for name, path in self.packages.items()
        }
        return Recipe(_HERE / self.name, "", packages, takes=self.takes, cache=_CACHE)

    def programs(self, say: Callable[[str], None]) -> dict[str, Path]:
        """Its programs by name, built where they are missing. Raises ``BuildError``."""
        return build.ensure(self.packages, say, self.recipe)

    def sources(self) -> Path:
        """The folder of its module, as Go downloaded and checked it; Go keeps it.

        Raises ``BuildError`` with the output of Go.
        """
        return module_source.unpacked(f"{_HERE.name}/{self.name}", self.module)


JOBSET: Final = System(
    "jobset",
    "sigs.k8s.io/jobset",
    {"jobset": ""},
    takes="8 min on 2 busy cores when nothing is cached, a few seconds when Go has seen it",
)
KUEUE: Final = System(
    "kueue",
    "sigs.k8s.io/kueue",
    {"kueue": "cmd/kueue"},
    takes="38 min on 2 busy cores when nothing is cached, a few seconds when Go has seen it",
)
VERTICAL_POD_AUTOSCALER: Final = System(
    "vertical-pod-autoscaler",
    "k8s.io/autoscaler/vertical-pod-autoscaler",
    {"updater": "pkg/updater", "admission-controller": "pkg/admission-controller"},
    takes="3 min on 2 busy cores when nothing is cached, a few seconds when Go has seen it",
)
KOORDINATOR: Final = System(
    "koordinator",
    "github.com/koordinator-sh/koordinator",
    {"koordinator-e2e": _OURS},
    takes="14 min on 2 busy cores when nothing is cached, a few seconds when Go has seen it",
)
"""Its own end-to-end specs of quotas. Its programs are not built."""
ALL: Final = (JOBSET, KUEUE, VERTICAL_POD_AUTOSCALER, KOORDINATOR)
