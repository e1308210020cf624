"""Reads kubeconfig files, and merges several of them by the rules of client-go.

The first file that has an entry of a name wins with the whole entry, and the first that names a
current context sets it. Two entries of a name in one file are refused. Relative paths start at the
folder of the file that they are in.
"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec
import yaml

from elasticquota.structs import Struct, field
from elasticquota_kube.client.credentials.login import CredentialsError


_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Extension(msgspec.Struct, gc=False):
    name: str = ""
    extension: Any = None


class KubeconfigCluster(msgspec.Struct, rename="kebab", gc=False):
    """An API server: where it is, and how it is trusted."""

    server: str = "http://localhost:8080"
    certificate_authority: str = ""
    certificate_authority_data: str = ""
    insecure_skip_tls_verify: bool = False
    tls_server_name: str = ""
    proxy_url: str = ""
    extensions: list[_Extension] = []


class Variable(msgspec.Struct, gc=False):
    """A variable of the environment of a credential plugin."""

    name: str
    value: str = ""


class Exec(msgspec.Struct, rename="camel", gc=False):
    """A credential plugin: the program that prints credentials."""

    command: str
    api_version: str = ""
    args: list[str] = []
    env: list[Variable] = []
    install_hint: str = ""
    interactive_mode: str = ""
    provide_cluster_info: bool = False


class KubeconfigUser(msgspec.Struct, rename="kebab", gc=False):
    """Credentials of a user."""

    token: str = ""
    token_file: str = msgspec.field(name="tokenFile", default="")
    client_certificate: str = ""
    client_certificate_data: str = ""
    client_key: str = ""
    client_key_data: str = ""
    username: str = ""
    password: str = ""
    impersonate: str = msgspec.field(name="as", default="")
    as_uid: str = ""
    as_groups: list[str] = []
    as_user_extra: dict[str, list[str]] = {}
    exec: Exec | None = None
    auth_provider: Any = None


class Context(msgspec.Struct, gc=False):
    """A cluster, a user and a namespace under one name."""

    cluster: str = ""
    user: str = ""
    namespace: str = ""


class _NamedCluster(msgspec.Struct, gc=False):
    name: str
    cluster: KubeconfigCluster = msgspec.field(default_factory=KubeconfigCluster)


class _NamedUser(msgspec.Struct, gc=False):
    name: str
    user: KubeconfigUser = msgspec.field(default_factory=KubeconfigUser)


class _NamedContext(msgspec.Struct, gc=False):
    name: str
    context: Context = msgspec.field(default_factory=Context)


class _File(msgspec.Struct, rename="kebab", gc=False):
    current_context: str = ""
    clusters: list[_NamedCluster] = []
    users: list[_NamedUser] = []
    contexts: list[_NamedContext] = []


T = TypeVar("T")


class KubeconfigEntry(Struct, Generic[T], frozen=True):
    """An entry and the folder of its file, where its relative paths start."""

    value: T
    folder: Path

    def path(self, written: str) -> Path:
        """The file that the entry names."""
        return self.folder / Path(written).expanduser()


class Kubeconfig(Struct):
    """All entries of the files by name; the first file wins."""

    files: Sequence[Path]
    current: str = ""
    clusters: dict[str, KubeconfigEntry[KubeconfigCluster]] = field(default_factory=dict)
    users: dict[str, KubeconfigEntry[KubeconfigUser]] = field(default_factory=dict)
    contexts: dict[str, Context] = field(default_factory=dict)

    @property
    def source(self) -> str:
        """The files, for messages."""
        return ", ".join(map(str, self.files))

    def context(self, name: str = "") -> Context:
        """The context of this name, or the current one; raises `CredentialsError`."""
        wanted = name or self.current
        if not wanted:
            raise CredentialsError(
                f"no context is set in {self.source}: choose one with --context NAME, or with "
                "kubectl config use-context NAME"
            )
        return _found(self.contexts, wanted, "context", self.source)

    def cluster(self, name: str) -> KubeconfigEntry[KubeconfigCluster]:
        """The cluster of this name; raises `CredentialsError`."""
        return _found(self.clusters, name, "cluster", self.source)

    def user(self, name: str) -> KubeconfigEntry[KubeconfigUser]:
        """The user of this name, or one without credentials; raises `CredentialsError`."""
        if not name:
            return KubeconfigEntry(KubeconfigUser(), Path())
        return _found(self.users, name, "user", self.source)


def read(files: Sequence[Path]) -> Kubeconfig:
    """Read and merge the files, the most important first; raises `CredentialsError`."""
    merged = Kubeconfig(files)
    for file in files:
        found, folder = _read(file), file.parent
        merged.current = merged.current or found.current_context
        for cluster in found.clusters:
            merged.clusters.setdefault(cluster.name, KubeconfigEntry(cluster.cluster, folder))
        for user in found.users:
            merged.users.setdefault(user.name, KubeconfigEntry(user.user, folder))
        for context in found.contexts:
            merged.contexts.setdefault(context.name, context.context)
    return merged


def _found(among: dict[str, T], name: str, kind: str, source: str) -> T:
    if name in among:
        return among[name]
    known = ", ".join(sorted(among)) or "none"
    raise CredentialsError(f"there is no {kind} '{name}' in {source}; there: {known}")


def _read(file: Path) -> _File:
    try:
        document = yaml.load(file.read_bytes(), _LOADER)  # noqa: S506 - it is a safe loader
    except OSError as error:
        raise CredentialsError(f"{file} cannot be read: {error.strerror}") from error
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        raise CredentialsError(f"{file} is not YAML: {' '.join(str(error).split())}") from error
    try:
        found = msgspec.convert(_without_nulls(document or {}), _File)
    except (msgspec.ValidationError, RecursionError) as error:
        raise CredentialsError(f"{file} is not a kubeconfig: {error}") from error
    _refuse_two_of_a_name(file, "clusters", [each.name for each in found.clusters])
    _refuse_two_of_a_name(file, "users", [each.name for each in found.users])
    _refuse_two_of_a_name(file, "contexts", [each.name for each in found.contexts])
    return found


def _refuse_two_of_a_name(file: Path, plural: str, names: Sequence[str]) -> None:
    for name, count in Counter(names).items():
        if count > 1:
            raise CredentialsError(
                f"{file} has {count} {plural} named '{name}': remove all but one"
            )


def _without_nulls(document: Any) -> Any:
    """The document without keys that have no value, which count as absent."""
    if isinstance(document, dict):
        return {key: _without_nulls(value) for key, value in document.items() if value is not None}
    if isinstance(document, list):
        return [_without_nulls(value) for value in document]
    return document
