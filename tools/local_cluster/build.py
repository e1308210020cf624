"""The control plane is built from its Go modules once, and kept under a key of its recipe.

``tools/go.mod`` pins every module and ``tools/go.sum`` their hashes; Go checks them. The folder of
the result is named by the hash of both and of the build flags, each program enters it by one
rename, and a lock lets a second build wait for the first, so nobody ever sees half a program and an
interrupted build goes on where it stopped.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from local_cluster import leash


TOOLS = Path(__file__).parents[1]
CACHE = TOOLS.parent / ".cache" / "control-plane"

_KUBERNETES = "v1.36.3"
_STAMPS = {
    "k8s.io/component-base/version.gitVersion": _KUBERNETES,
    "k8s.io/component-base/version.gitMajor": "1",
    "k8s.io/component-base/version.gitMinor": "36",
    "k8s.io/client-go/pkg/version.gitVersion": _KUBERNETES,
}
_LDFLAGS = " ".join(["-s", "-w", *(f"-X {name}={value}" for name, value in _STAMPS.items())])
_ENVIRONMENT = {"GOFLAGS": "-trimpath", "CGO_ENABLED": "0"}

_PACKAGES = {
    "etcd": "go.etcd.io/etcd/server/v3",
    "kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver",
    "kube-controller-manager": "k8s.io/kubernetes/cmd/kube-controller-manager",
    "kube-scheduler": "k8s.io/kubernetes/cmd/kube-scheduler",
    "kubectl": "k8s.io/kubernetes/cmd/kubectl",
    "kwok": "sigs.k8s.io/kwok/cmd/kwok",
    "helm": "helm.sh/helm/v4/cmd/helm",
}
_SAY_EVERY_SECONDS = 30
_LOOK_EVERY_SECONDS = 0.2
_LINES_OF_AN_ERROR = 15


class BuildError(Exception):
    """The programs cannot be built here; the text says what to do."""


def ensure(names: Iterable[str], say: Callable[[str], None]) -> dict[str, Path]:
    """The built programs by name; builds those that are not there yet.

    Raises ``BuildError`` without a Go tool chain or when a build breaks.
    """
    wanted = list(names)
    folder = CACHE / key()
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
            say(
                f"building {len(missing)} programs from source, once: about 11 min on 2 cores "
                "when nothing is cached, about 1 min when Go has seen them before"
            )
        for position, name in enumerate(missing, start=1):
            _build(go, name, folder, f"{name} ({position} of {len(missing)})", say)
    return {name: folder / name for name in wanted}


def key() -> str:
    """The name of the recipe: changes with any module, hash or flag."""
    recipe = hashlib.sha256()
    for path in (TOOLS / "go.mod", TOOLS / "go.sum"):
        recipe.update(path.read_bytes())
    recipe.update(repr((_LDFLAGS, sorted(_ENVIRONMENT.items()))).encode())
    return recipe.hexdigest()[:16]


def _build(go: str, name: str, folder: Path, title: str, say: Callable[[str], None]) -> None:
    say(f"building {title}")
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix=f".{name}.", dir=folder) as scratch:
        fresh = Path(scratch) / name
        log = Path(scratch) / "log"
        command = [go, "build", "-ldflags", _LDFLAGS, "-o", str(fresh), _PACKAGES[name]]
        with log.open("wb") as output:
            process = leash.start(
                command, output=output, cwd=TOOLS, env={**os.environ, **_ENVIRONMENT}
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
            process.stdin.close()  # ends the compiler and its helpers, should they still run


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
