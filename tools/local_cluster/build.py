"""Builds the control plane from its Go modules once, and stores it under a hash of its recipe.

A recipe's ``go.mod`` pins every module and its ``go.sum`` their hashes; Go checks them. The folder
of the result is named by the hash of both and of the build flags. Each program enters it by one
rename, and a lock makes a second build wait for the first. So no program is ever seen half written,
and an interrupted build goes on where it stopped.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from local_cluster import leash


TOOLS = Path(__file__).parents[1]
CACHE = TOOLS.parent / ".cache" / "control-plane"

_ENVIRONMENT = {"GOFLAGS": "-trimpath", "CGO_ENABLED": "0"}


@dataclass(frozen=True, slots=True)
class Recipe:
    """Programs that are built from one list of modules: one version of Kubernetes, or others."""

    modules: Path
    """The folder with ``go.mod`` and ``go.sum``."""
    kubernetes: str
    """Such as ``1.37.2``; empty: no version is stamped in."""
    packages: Mapping[str, str]
    """The package of each program."""
    tags: str = ""
    """Build tags, which leave out what we do not use."""
    takes: str = "about 11 min on 2 cores when nothing is cached, about 1 min when Go has seen them"
    """How long a build takes."""
    cache: Path | None = None
    """Where the programs are kept, unless beside the control plane's."""

    @property
    def flags(self) -> str:
        """For the linker: they stamp the versions in, as in the published programs."""
        if not self.kubernetes:
            return "-s -w"
        major, minor, _ = self.kubernetes.split(".")
        stamps = {
            "k8s.io/component-base/version.gitVersion": f"v{self.kubernetes}",
            "k8s.io/component-base/version.gitMajor": major,
            "k8s.io/component-base/version.gitMinor": minor,
            "k8s.io/client-go/pkg/version.gitVersion": f"v{self.kubernetes}",
        }
        return " ".join(["-s", "-w", *(f"-X {name}={value}" for name, value in stamps.items())])

    def key(self) -> str:
        """Changes with any module, hash or flag, and with the sources of a program of ours."""
        recipe = hashlib.sha256()
        for path in (self.modules / "go.mod", self.modules / "go.sum", *self._sources()):
            recipe.update(path.read_bytes())
        recipe.update(repr((self.flags, sorted(_ENVIRONMENT.items()))).encode())
        recipe.update(self.tags.encode())
        return recipe.hexdigest()[:16]

    def _sources(self) -> list[Path]:
        return sorted(self.modules.glob("*.go"))


_SERVERS = {
    "kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver",
    "kube-controller-manager": "k8s.io/kubernetes/cmd/kube-controller-manager",
    "kube-scheduler": "k8s.io/kubernetes/cmd/kube-scheduler",
}
_HELPERS = {
    "etcd": "go.etcd.io/etcd/server/v3",
    "kubectl": "k8s.io/kubernetes/cmd/kubectl",
    "kwok": "sigs.k8s.io/kwok/cmd/kwok",
    "helm": "helm.sh/helm/v4/cmd/helm",
}
NEWEST = Recipe(TOOLS, "1.37.2", {**_SERVERS, **_HELPERS})
OLDEST = Recipe(TOOLS / "servers" / "1.30", "1.30.14", _SERVERS)
"""The oldest Kubernetes that the chart accepts; its servers run with the newest helpers."""
BY_MINOR = {
    "1.30": OLDEST,
    "1.33": Recipe(TOOLS / "servers" / "1.33", "1.33.13", _SERVERS),
    "1.35": Recipe(TOOLS / "servers" / "1.35", "1.35.4", _SERVERS),
    "1.36": Recipe(TOOLS / "servers" / "1.36", "1.36.3", _SERVERS),
    "1.37": NEWEST,
}
"""The versions that the cluster tests can run on."""
PROMETHEUS = Recipe(
    TOOLS / "prometheus",
    "",
    {
        "prometheus": "github.com/prometheus/prometheus/cmd/prometheus",
        "promtool": "github.com/prometheus/prometheus/cmd/promtool",
    },
    tags="remove_all_sd",
    takes="about 3 min on 2 cores when nothing is cached, a few seconds when Go has seen them",
)
"""Without what finds targets in clouds: the tests name theirs, and it is most of the build."""
PROMETHEUS_OPERATOR = Recipe(
    TOOLS / "prometheus_operator",
    "",
    {"prometheus-operator": "github.com/prometheus-operator/prometheus-operator/cmd/operator"},
    takes="about 3 min on 2 cores when nothing is cached, a few seconds when Go has seen it",
)
CERT_MANAGER = Recipe(
    TOOLS / "cert_manager",
    "",
    {"cert-manager": "."},
    takes="about 2 min on 2 cores when nothing is cached, a few seconds when Go has seen it",
)
"""A program of ours around cert-manager's packages: its commands are not published."""

_SAY_EVERY_SECONDS = 30
_LOOK_EVERY_SECONDS = 0.2
_LINES_OF_AN_ERROR = 15


class BuildError(Exception):
    """The programs cannot be built here; the text says how to fix it."""


def say(line: str) -> None:
    """Report progress on standard error."""
    print(line, file=sys.stderr, flush=True)


def ensure(
    names: Iterable[str], say: Callable[[str], None], recipe: Recipe = NEWEST
) -> dict[str, Path]:
    """The built programs by name; builds those that are not there yet.

    Raises ``BuildError`` without a Go tool chain or when a build breaks.
    """
    wanted = list(names)
    folder = (recipe.cache or CACHE) / recipe.key()
    if all((folder / name).exists() for name in wanted):
        return {name: folder / name for name in wanted}
    go = shutil.which("go")
    if go is None:
        raise BuildError(
            f"the control plane has to be built ({', '.join(wanted)}), and no Go is on the PATH: "
            "install Go 1.26 or later, or point KUBEBUILDER_ASSETS to a folder with these programs"
        )
    folder.mkdir(parents=True, exist_ok=True)
    with _only_builder(folder, say):
        missing = [name for name in wanted if not (folder / name).exists()]
        if missing:
            programs = "1 program" if len(missing) == 1 else f"{len(missing)} programs"
            say(f"building {programs} from source, once: {recipe.takes}")
        for position, name in enumerate(missing, start=1):
            _build(go, recipe, name, folder, f"{name} ({position} of {len(missing)})", say)
    return {name: folder / name for name in wanted}


def _build(
    go: str, recipe: Recipe, name: str, folder: Path, title: str, say: Callable[[str], None]
) -> None:
    say(f"building {title}")
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix=f".{name}.", dir=folder) as scratch:
        fresh = Path(scratch) / name
        log = Path(scratch) / "log"
        command = [go, "build", "-ldflags", recipe.flags, "-o", str(fresh)]
        command += ["-tags", recipe.tags, recipe.packages[name]]
        with log.open("wb") as output:
            process = leash.start(
                command, output=output, cwd=recipe.modules, env={**os.environ, **_ENVIRONMENT}
            )
        with process:
            _watch(process, title, began, say)
        if process.returncode != 0:
            lines = log.read_text(errors="replace").splitlines()[-_LINES_OF_AN_ERROR:]
            raise BuildError("\n".join([f"building {name} failed; go said:", *lines]))
        fresh.replace(folder / name)
    say(f"built {title} in {_duration(time.monotonic() - began)}")


def _watch(
    process: subprocess.Popen[bytes], title: str, began: float, say: Callable[[str], None]
) -> None:
    next_word = began + _SAY_EVERY_SECONDS
    try:
        while process.poll() is None:
            time.sleep(_LOOK_EVERY_SECONDS)
            now = time.monotonic()
            if now >= next_word:
                say(f"still building {title}, {_duration(now - began)} so far")
                next_word += _SAY_EVERY_SECONDS
    finally:
        if process.stdin is not None:
            process.stdin.close()  # ends the compiler and its helpers if they still run


@contextmanager
def _only_builder(folder: Path, say: Callable[[str], None]) -> Iterator[None]:
    with (folder / ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another build of the same programs is under way; waiting for it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
