"""What each verb says when something is wrong between it and the API server: one line in words."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Final

import pytest

from elasticquota_cli import main as cli
from elasticquota_kube.client.rest.session import Headers, SessionAnswer, SessionRequest
from elasticquota_kube.client.sessions.brief_session import BriefSession
from simulated import Screen


CHANGE = str(Path(__file__).parents[3] / "examples" / "simulate" / "busy-evening.yaml")
READING: Final = {
    "tree": ("tree",),
    "explain": ("explain", "quota", "team-a"),
    "why": ("why", "web"),
    "pending": ("pending",),
    "top": ("top",),
    "history": ("history",),
    "pause": ("pause", "quota", "team-a", "-y"),
    "resume": ("resume", "quota", "team-a", "-y"),
    "observe": ("observe", "on", "root", "-y"),
    "plan": ("plan", "-f", CHANGE),
}
"""Verbs that begin with a list of quotas."""
OTHERS: Final = {
    "release": ("release", "--all"),
    "doctor": ("doctor",),
}
ALL: Final = READING | OTHERS
BEGIN: Final = {
    "release": "cannot read the nodes of the trees; nothing was released: ",
}
"""How the line of a verb begins; the others say which list they could not read."""

Handle = Callable[[BaseHTTPRequestHandler], None]


@contextmanager
def served(handle: Handle) -> Iterator[str]:
    """A server that answers every request so; yields its host and port."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            handle(self)

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            handle(self)

        def log_message(self, *_: object) -> None:
            """Do nothing."""

    class Server(ThreadingHTTPServer):
        def handle_error(self, *_: object) -> None:
            """Do nothing: clients leave in the middle of answers here."""

    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield f"127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def answers(code: int, content: str) -> Handle:
    def handle(of: BaseHTTPRequestHandler) -> None:
        of.send_response(code)
        of.send_header("Content-Length", str(len(content)))
        of.end_headers()
        of.wfile.write(content.encode())

    return handle


def status(code: int, reason: str, message: str) -> Handle:
    return answers(code, json.dumps({"code": code, "reason": reason, "message": message}))


def kubeconfig(folder: Path, where: str) -> Path:
    path = folder / "kubeconfig"
    config = {
        "current-context": "here",
        "clusters": [{"name": "here", "cluster": {"server": f"http://{where}"}}],
        "users": [{"name": "here", "user": {"token": "any"}}],
        "contexts": [{"name": "here", "context": {"cluster": "here", "user": "here"}}],
    }
    path.write_text(json.dumps(config))
    return path


def said(capsys: Screen, words: tuple[str, ...], path: Path, code: int = 1) -> str:
    """The line on standard error without the name of the program."""
    assert cli.main([*words, "--kubeconfig", str(path)]) == code
    shown = capsys.readouterr()
    assert shown.out == ""
    line, *more = shown.err.splitlines()
    assert not more
    return line.removeprefix("elastic-quota: ")


def is_about(verb: str, line: str, why: str) -> bool:
    """Whether the line says that the verb could not read, or write, because of ``why``."""
    if verb in BEGIN:
        return line == BEGIN[verb] + why
    begin, _, end = line.partition(": ")
    # Some lists are read at the same time, and any may be the first to fail.
    return begin.startswith("cannot read the ") and " " not in begin[16:] and end == why


@pytest.mark.parametrize("verb", ALL)
def test_a_missing_kubeconfig(verb: str, tmp_path: Path, capsys: Screen) -> None:
    path = tmp_path / "none"
    assert said(capsys, ALL[verb], path) == f"{path} cannot be read: No such file or directory"


@pytest.mark.parametrize("verb", ALL)
def test_no_server(verb: str, tmp_path: Path, capsys: Screen) -> None:
    line = said(capsys, ALL[verb], kubeconfig(tmp_path, "127.0.0.1:1"))
    assert is_about(verb, line, "no connection to 127.0.0.1:1: Connection refused")


@pytest.mark.parametrize("verb", ALL)
def test_a_server_that_hangs(
    verb: str, tmp_path: Path, capsys: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, over = BriefSession.exchange, threading.Event()

    async def impatient(
        self: BriefSession, request: SessionRequest, headers: Headers, _seconds: float
    ) -> SessionAnswer:
        return await asked(self, request, headers, 0.1)

    def waits(_of: BaseHTTPRequestHandler) -> None:
        over.wait(30)

    monkeypatch.setattr(BriefSession, "exchange", impatient)
    with served(waits) as where:
        line = said(capsys, ALL[verb], kubeconfig(tmp_path, where))
        over.set()
    assert is_about(verb, line, f"{where} did not answer in time")


@pytest.mark.parametrize("verb", ALL)
def test_a_connection_that_ends_without_an_answer(
    verb: str, tmp_path: Path, capsys: Screen
) -> None:
    with served(lambda of: of.connection.shutdown(2)) as where:
        line = said(capsys, ALL[verb], kubeconfig(tmp_path, where))
    assert is_about(verb, line, "the server closed the connection")


@pytest.mark.parametrize("verb", ALL)
def test_a_connection_that_is_torn_within_an_answer(
    verb: str, tmp_path: Path, capsys: Screen
) -> None:
    def tear(of: BaseHTTPRequestHandler) -> None:
        of.send_response(200)
        of.send_header("Content-Length", "999")
        of.end_headers()
        of.wfile.write(b'{"items": [')
        of.connection.shutdown(2)

    with served(tear) as where:
        line = said(capsys, ALL[verb], kubeconfig(tmp_path, where))
    assert is_about(verb, line, "the connection broke before the answer was whole")


@pytest.mark.parametrize("verb", ALL)
def test_an_expired_token(verb: str, tmp_path: Path, capsys: Screen) -> None:
    with served(status(401, "Unauthorized", "Unauthorized")) as where:
        line = said(capsys, ALL[verb], kubeconfig(tmp_path, where))
    why = "the API server does not accept your credentials (401); log in again"
    assert is_about(verb, line, why)


@pytest.mark.parametrize("verb", READING)
def test_a_page_to_sign_in_instead_of_an_api_server(
    verb: str, tmp_path: Path, capsys: Screen
) -> None:
    with served(answers(200, "<html>Sign in</html>")) as where:
        line = said(capsys, ALL[verb], kubeconfig(tmp_path, where))
    why = "the answer is not that of a Kubernetes API server (JSON is malformed: invalid character"
    assert line.partition(": ")[2].startswith(why)


@pytest.mark.parametrize("verb", READING)
def test_a_failing_server(verb: str, tmp_path: Path, capsys: Screen) -> None:
    with served(status(500, "InternalError", "etcdserver: request timed out")) as where:
        line = said(capsys, ALL[verb], kubeconfig(tmp_path, where))
    assert is_about(verb, line, "etcdserver: request timed out (500 InternalError)")


@pytest.mark.parametrize("verb", READING)
def test_a_cluster_without_our_kinds(verb: str, tmp_path: Path, capsys: Screen) -> None:
    message = "the server could not find the requested resource"
    with served(status(404, "NotFound", message)) as where:
        line = said(capsys, ALL[verb], kubeconfig(tmp_path, where))
    begin, end = "the API server knows no ", "; is the operator installed?"
    assert line.startswith(begin)
    assert line.endswith(end)
    assert line.removeprefix(begin).removesuffix(end) in (
        "elasticquotas",
        "elasticquotaprofiles",
        "namespaces",
        "nodes",
    )


FORBIDDEN: Final = {
    "tree": "you may not list elasticquotas in namespace default",
    "explain": (
        "you may not list elasticquotas in all namespaces: write NAMESPACE/team-a with the "
        "namespace of the quota"
    ),
    "why": "you may not list the pods of namespace default",
    "pending": "you may not list elasticquotas in namespace default",
    "top": "you may not list elasticquotas in namespace default",
    "history": "you may not list elasticquotas in namespace default",
    "pause": "you may not list elasticquotas in all namespaces: name one with -n",
    "resume": "you may not list elasticquotas in all namespaces: name one with -n",
    "observe": "you may not list elasticquotas in all namespaces: name one with -n",
    "release": (
        'you may not list pods in all namespaces: User "ann" may not. It takes the verbs list, get '
        "and patch on pods; with --namespace in one only"
    ),
}


@pytest.mark.parametrize("verb", FORBIDDEN)
def test_a_user_without_a_right(verb: str, tmp_path: Path, capsys: Screen) -> None:
    with served(status(403, "Forbidden", 'User "ann" may not')) as where:
        line = said(capsys, ALL[verb], kubeconfig(tmp_path, where))
    assert line == FORBIDDEN[verb]


EMPTY: Final = {
    "tree": (0, "No ElasticQuota found."),
    "explain": (1, "there is no quota team-a"),
    "why": (1, "no pod is or belongs to default/web"),
    "pending": (0, "No pod waits for a quota in namespace default (-A for all)."),
    "top": (0, "No quota borrows or lends, and no pod was evicted in the last 24 hours."),
    "history": (
        0,
        "No pod was evicted in the last 24 hours in namespace default (-A for all).",
    ),
    "pause": (1, "there is no quota 'team-a'"),
    "resume": (1, "there is no quota 'team-a'"),
    "observe": (1, "there is no quota 'root'"),
    "release": (0, "Released 0 pods in 0 namespaces."),
}


@pytest.mark.parametrize("verb", EMPTY)
def test_an_empty_cluster(verb: str, tmp_path: Path, capsys: Screen) -> None:
    code, text = EMPTY[verb]
    with served(answers(200, '{"metadata": {}, "items": []}')) as where:
        path = str(kubeconfig(tmp_path, where))
        assert cli.main([*ALL[verb], "--kubeconfig", path]) == code
    shown = capsys.readouterr()
    lines = (shown.out if code == 0 else shown.err).splitlines()
    assert lines[0].removeprefix("elastic-quota: ") == text


BAD_WORDS: Final = {
    ("explain", "pot", "x"): (
        "'pot x': unknown kind 'pot'; did you mean pod?; must be KIND NAME or KIND/NAME, with KIND "
        "one of: pod, deployment, statefulset, replicaset, job, quota"
    ),
    ("why", "a/"): "'a/': must be NAME or NAMESPACE/NAME",
    ("pause", "pod", "x"): (
        "'pod x': unknown kind 'pod'; must be KIND NAME or KIND/NAME, with KIND one of: quota, tree"
    ),
}


@pytest.mark.parametrize("words", BAD_WORDS, ids=" ".join)
def test_bad_words(words: tuple[str, ...], tmp_path: Path, capsys: Screen) -> None:
    with served(answers(200, '{"metadata": {}, "items": []}')) as where:
        line = said(capsys, words, kubeconfig(tmp_path, where), code=2)
    assert line == BAD_WORDS[words]
