"""Odd kubeconfig files mean to us what they mean to pykube-ng and to the official client.

Where one of them differs, the row says why ours is right. The measure is client-go, as in kubectl.
"""

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

import kubernetes
import pykube
import pytest
import yaml

from elasticquota_kube.client.credentials import credentials
from elasticquota_kube.client.credentials.login import Login
from local_cluster import certificates


SERVER: Final = "https://127.0.0.1:6443"


class Seen(NamedTuple):
    """What a reader takes of a file; ``authorization`` is the header's text."""

    server: str
    authorization: str | None
    authority: bytes | None
    certificate: bytes | None
    namespace: str
    verifies: bool = True


class Material(NamedTuple):
    """Real certificates, in ``folder`` as ca.crt, me.crt and me.key, and a token in ``token``."""

    folder: Path
    authority: bytes
    certificate: bytes
    key: bytes


@pytest.fixture
def material(tmp_path: Path) -> Material:
    folder = tmp_path / "files"
    folder.mkdir()
    signed, key = certificates.Authority(folder).client("me", "somebody")
    (folder / "token").write_text("of-the-file\n")
    authority = (folder / "ca.crt").read_bytes()
    return Material(folder, authority, signed.read_bytes(), key.read_bytes())


def ours(file: Path) -> Seen:
    found = credentials.load(Login(file))
    token, headers = found.token.current(), dict(found.headers)
    authority, pair = (None, None) if found.tls is None else found.tls._found
    return Seen(
        found.server,
        f"Bearer {token}" if token else headers.get("Authorization"),
        authority,
        pair,
        found.namespace,
        found.tls is None or found.tls._verify,
    )


def by_pykube(file: Path) -> Seen:
    found = pykube.KubeConfig.from_file(str(file))
    user, cluster = found.user, found.cluster
    authorization = f"Bearer {user['token']}" if user.get("token") else None
    if authorization is None and user.get("username"):
        authorization = _basic(user["username"], user["password"])
    return Seen(
        cluster["server"],
        authorization,
        cluster["certificate-authority"].bytes() if "certificate-authority" in cluster else None,
        _pair(*(user[key].bytes() for key in PAIR)) if PAIR[0] in user else None,
        found.namespace,
        not cluster.get("insecure-skip-tls-verify", False),
    )


def by_official(file: Path) -> Seen:
    found: Any = kubernetes.client.Configuration()
    kubernetes.config.load_kube_config(str(file), client_configuration=found)
    _, active = kubernetes.config.list_kube_config_contexts(str(file))
    files = (found.cert_file, found.key_file)
    return Seen(
        found.host,
        found.api_key.get("BearerToken"),
        Path(found.ssl_ca_cert).read_bytes() if found.ssl_ca_cert else None,
        _pair(*(Path(each).read_bytes() for each in files)) if files[0] else None,
        active["context"].get("namespace") or "default",  # it leaves the default to its user
        found.verify_ssl,
    )


PAIR: Final = ("client-certificate", "client-key")
OTHERS: Final = {"pykube": by_pykube, "official": by_official}


def _pair(certificate: bytes, key: bytes) -> bytes:
    return certificate + b"\n" + key


def _basic(name: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{name}:{password}".encode()).decode()


def document(user: Any = None, cluster: Any = None, context: Any = None) -> dict[str, Any]:
    """A kubeconfig with one entry of each kind."""
    server = {"server": "http://127.0.0.1:8001"}
    place = {"cluster": "c", "user": "u", "namespace": "ns"}
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "c", "cluster": server if cluster is None else cluster}],
        "users": [{"name": "u", "user": {"token": "secret"} if user is None else user}],
        "contexts": [{"name": "x", "context": place if context is None else context}],
        "current-context": "x",
    }


def inline(m: Material) -> dict[str, Any]:
    """Certificates as base64 in the file."""
    text = {
        key: base64.b64encode(value).decode() for key, value in m._asdict().items() if key[0] != "f"
    }
    user = {f"{PAIR[0]}-data": text["certificate"], f"{PAIR[1]}-data": text["key"]}
    return document(user, {"server": SERVER, "certificate-authority-data": text["authority"]})


def by_files(m: Material, folder: str = "files/") -> dict[str, Any]:
    """Certificates in files, by default relative to the kubeconfig."""
    user = {PAIR[0]: f"{folder}me.crt", PAIR[1]: f"{folder}me.key"}
    return document(user, {"server": SERVER, "certificate-authority": f"{folder}ca.crt"})


def both(m: Material) -> dict[str, Any]:
    """Base64 and a file that is not there."""
    found = inline(m)
    found["clusters"][0]["cluster"]["certificate-authority"] = "/no/such/ca.crt"
    found["users"][0]["user"] |= dict.fromkeys(PAIR, "/no/such/file")
    return found


def folded(m: Material) -> dict[str, Any]:
    """Base64 with a line break after each 64 characters, as ``base64`` prints it."""
    found = inline(m)
    cluster = found["clusters"][0]["cluster"]
    text = cluster["certificate-authority-data"]
    lines = [text[start : start + 64] for start in range(0, len(text), 64)]
    cluster["certificate-authority-data"] = "\n".join(lines) + "\n"
    return found


def shared(_: Material) -> str:
    """YAML with an anchor and an alias, a comment and a quoted key."""
    return (
        "# by hand\n'current-context': x\nclusters: [{name: c, cluster: &c {server: 'http://a:1'}},"
        " {name: d, cluster: *c}]\nusers: [{name: u, user: {token: t}}]\n"
        "contexts: [{name: x, context: {cluster: d, user: u}}]\n"
    )


def with_more(_: Material) -> dict[str, Any]:
    """Preferences, extensions and fields that no reader knows."""
    found = document()
    extra = [{"name": "tool", "extension": {"version": 1}}]
    return found | {"preferences": {"colors": True}, "extensions": extra, "new-in-2030": [1]}


FILES: Final[dict[str, Callable[[Material], dict[str, Any] | str]]] = {
    "a token": lambda _: document(),
    "JSON": lambda _: json.dumps(document(), indent=1),
    "an anchor and an alias": shared,
    "a byte order mark": lambda _: "\ufeff" + yaml.safe_dump(document()),
    "names with spaces and umlauts": lambda _: yaml.safe_dump(
        document(context={"cluster": "c", "user": "u"})
    ).replace("x\n", "'Büro / Köln: 1'\n"),
    "fields of tools": with_more,
    "certificates in it": inline,
    "certificates beside it": by_files,
    "certificates at absolute paths": lambda m: by_files(m, f"{m.folder}/"),
    "certificates in it and at paths": both,
    "base64 over several lines": folded,
    "a server that is not verified": lambda _: document(
        cluster={"server": SERVER, "insecure-skip-tls-verify": True}
    ),
    "a server by IPv6": lambda _: document(cluster={"server": "http://[::1]:8001"}),
    "a path in the server": lambda _: document(cluster={"server": "http://proxy/k8s/clusters/c"}),
    "a slash at the end of the server": lambda _: document(cluster={"server": "http://a:1/"}),
    "no server": lambda _: document(cluster={"insecure-skip-tls-verify": False}),
    "no user": lambda _: document(context={"cluster": "c"}),
    "no users at all": lambda _: document(context={"cluster": "c"}) | {"users": None},
    "no namespace": lambda _: document(context={"cluster": "c", "user": "u"}),
    "a namespace without a value": lambda _: document(
        context={"cluster": "c", "user": "u", "namespace": None}
    ),
    "a token without a value": lambda _: document({"token": ""}),
    "a token in a file": lambda _: document({"tokenFile": "files/token"}),
    "a token and a file of one": lambda _: document({"token": "old", "tokenFile": "files/token"}),
    "a name and a password": lambda _: document({"username": "me", "password": "p:w"}),
}

DIFFER: Final[dict[tuple[str, str], tuple[str, str]]] = {
    ("a slash at the end of the server", "pykube"): (
        "server",
        "paths begin with a slash, and two of them are another path",
    ),
    ("no server", "pykube"): ("server", "client-go takes http://localhost:8080"),
    ("no server", "official"): ("server", "client-go takes http://localhost:8080"),
    ("no users at all", "pykube"): ("TypeError", "null is an empty list, as kubectl writes it"),
    ("a namespace without a value", "pykube"): ("namespace", "null counts as absent in client-go"),
    ("a token in a file", "pykube"): ("authorization", "it does not know tokenFile"),
    ("a token in a file", "official"): (
        "authorization",
        "client-go cuts white space at the end; no header may have a line break",
    ),
    ("a token and a file of one", "pykube"): ("authorization", "it does not know tokenFile"),
    ("a token and a file of one", "official"): (
        "authorization",
        "the file wins in client-go: the token may be what was in it first",
    ),
}
"""By file and reader: what it reads otherwise, or how it fails, and why ours is right."""


FAILURES: Final = (
    TypeError,
    pykube.exceptions.PyKubeError,
    kubernetes.config.ConfigException,
)


def differences(read: Callable[[Path], Seen], file: Path, expected: Seen) -> list[str]:
    """The fields that ``read`` sees otherwise, or the name of its error."""
    try:
        found = read(file)
    except FAILURES as error:
        return [type(error).__name__]
    return [field for field in Seen._fields if getattr(found, field) != getattr(expected, field)]


@pytest.mark.parametrize("reader", OTHERS)
@pytest.mark.parametrize("name", FILES)
def test_an_odd_file_means_the_same_to_other_clients_or_the_difference_is_explained(
    name: str, reader: str, material: Material
) -> None:
    content = FILES[name](material)
    file = material.folder.parent / "config"
    text = content if isinstance(content, str) else yaml.safe_dump(content)
    file.write_text(text, encoding="utf-8")
    field, why = DIFFER.get((name, reader), (None, ""))
    assert differences(OTHERS[reader], file, ours(file)) == ([field] if field else []), why


def test_of_two_files_the_first_counts_and_the_official_client_takes_the_last_context(
    material: Material, monkeypatch: pytest.MonkeyPatch
) -> None:
    """client-go lets the first file decide; pykube-ng reads one file only."""
    first, second = (material.folder / name for name in ("first", "second"))
    first.write_text(yaml.safe_dump(document()))
    other = document({"token": "other"}) | {"current-context": "y"}
    other["contexts"].append({"name": "y", "context": {"cluster": "c", "user": "u"}})
    second.write_text(yaml.safe_dump(other))
    both_files = f"{first}:{second}"
    monkeypatch.setenv("KUBECONFIG", both_files)
    found = credentials.load()
    assert (found.namespace, found.token.current()) == ("ns", "secret")
    theirs = by_official(Path(both_files))
    assert (theirs.namespace, theirs.authorization) == ("default", "Bearer secret")


def test_what_is_read_is_what_the_files_say(material: Material) -> None:
    """So that three readers do not agree on nothing."""
    file = material.folder.parent / "config"
    file.write_text(yaml.safe_dump(by_files(material)))
    pair = _pair(material.certificate, material.key)
    assert ours(file) == Seen(SERVER, None, material.authority, pair, "ns")
    file.write_text(yaml.safe_dump(document({"tokenFile": "files/token"})))
    assert ours(file).authorization == "Bearer of-the-file"
