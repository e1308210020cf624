"""Puts manifests through the webhook's routes and through ``simulate --strict``, to compare them.

``Cluster`` stands for the default installation: what a review allows is stored, and the next one
sees it. Its user has the permission to place quotas wherever no list says whose quotas are taken,
as ``simulate`` assumes of its user.
"""

import asyncio
import contextlib
import copy
import io
import re
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
import yaml

import webhook_fixture
from elasticquota import names
from elasticquota.derived import root_quotas
from elasticquota.forest import violation
from elasticquota.ledger.ledger import Ledger
from elasticquota.wire.kubernetes.namespaces import NamespaceManifest
from elasticquota.wire.quota import roots
from elasticquota.wire.quota.profiles import ProfileManifest
from elasticquota.wire.quota.quotas import StoredQuota
from elasticquota_cli import main as cli
from elasticquota_config.model import Configuration
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Page
from elasticquota_kube.informer.watch_lines import ObjectKey
from elasticquota_webhooks import routes
from elasticquota_webhooks.cache import reflectors
from elasticquota_webhooks.cache.caches import Caches
from elasticquota_webhooks.cache.live_quotas import LiveQuotas
from elasticquota_webhooks.reviews.metrics import Metrics


Document = dict[str, Any]
Name = tuple[str, str, str]
Answers = dict[Name, str]
"""By kind, namespace and name of what is refused, the whole message."""

Warned = list[tuple[Name, tuple[str, ...]]]
"""In their order, the warnings about each object."""

DELETED: Final = "$patch"
CHART: Final = Configuration(controller_user=webhook_fixture.CONTROLLER)
_PATHS: Final = {names.QUOTA_KIND: "elasticquota", names.PROFILE_KIND: "profile", "Pod": "pod"}
_KINDS: Final = {
    "Namespace": "v1",
    names.PROFILE_KIND: names.PROFILE_API,
    names.QUOTA_KIND: names.QUOTA_API,
    "Pod": "v1",
}
"""In the order in which they are applied."""
_WARNS: Final = "the webhook warns: "
_CODE: Final = re.compile(r"\[((?:EQ|EP|PD)\d{4})\]")


def warnings_of_rules(warned: Warned) -> list[str]:
    """What the webhook warned of by a rule, as ``simulate`` notes it."""
    return sorted(
        f"{_WARNS}{kind} {namespace}/{name}: {violation.first(lines)}"
        for (kind, namespace, name), said in warned
        if (lines := [each for each in said if _CODE.search(each)])
    )


def noted(notes: Iterable[str]) -> list[str]:
    """The notes of ``simulate`` that say what the webhook warns of."""
    return sorted(each for each in notes if each.startswith(_WARNS))


def keys_passed_over(warned: Warned) -> set[str]:
    """What else it warned of: labels and annotations that have no effect."""
    return {
        f"({kind} {namespace}/{name}): {line}"
        for (kind, namespace, name), said in warned
        for line in said
        if not _CODE.search(line)
    }


def codes(answers: Mapping[Name, str]) -> set[str]:
    """The rules that refuse."""
    return {code for message in answers.values() for code in _CODE.findall(message)}


def is_judged(document: Document) -> bool:
    """Whether the webhook has a route for such objects, or needs to know them."""
    kind = document.get("kind")
    return kind is not None and _KINDS.get(kind) == document.get("apiVersion")


def name_of(document: Document) -> Name:
    metadata = document["metadata"]
    namespaced = document["kind"] != "Namespace"
    namespace = metadata.get("namespace", "default") if namespaced else ""
    return document["kind"], namespace, metadata["name"]


class Cluster:
    """The routes of the webhook and what they stored."""

    def __init__(self, configuration: Configuration = CHART) -> None:
        self._accounting = configuration.what_counts(webhook_fixture.NAMESPACE)
        self._caches = Caches(self._accounting)
        for store in (self._caches.quotas, self._caches.profiles, self._caches.namespaces):
            store.synced()
        api: Any = self
        live = LiveQuotas(
            api,
            reflectors.of_quotas(api, self._caches),
            reflectors.of_profiles(api, self._caches, lambda _: None),
        )
        self._routes = routes.table(self._caches, live, api, configuration, Metrics())
        self.stored: dict[Name, Document] = {}
        self.warned: Warned = []
        """What the answers warned of, about objects that were stored or deleted then."""
        self._version = 0

    def begin(self, base: Iterable[Document]) -> Answers:
        """Store what was stored before and apply the rest; its quotas are there in any case."""
        written = [each for each in base if "uid" not in each["metadata"]]
        for each in base:
            if each not in written:
                self.store(each)
        answers = self.apply(each for each in written if each["kind"] != "Pod")
        for each in written:
            if each["kind"] == names.QUOTA_KIND and name_of(each) in answers:
                self.store(each)
        return answers | self.apply(each for each in written if each["kind"] == "Pod")

    def apply(self, documents: Iterable[Document]) -> Answers:
        """Apply documents as one who repeats ``kubectl apply`` until it stores nothing more."""
        return asyncio.run(self._all(documents))

    async def _all(self, documents: Iterable[Document]) -> Answers:
        waiting = sorted(documents, key=lambda each: [*_KINDS].index(each["kind"]))
        gone = [each for each in waiting if DELETED in each]
        answers: Answers = {}
        for part in (gone[::-1], [each for each in waiting if DELETED not in each]):
            for kind in dict.fromkeys(each["kind"] for each in part):
                answers |= await self._apply([each for each in part if each["kind"] == kind])
                self._write_roots()
        return answers

    def _write_roots(self) -> None:
        """Write the root quotas of profiles, as the controller does where there are no nodes."""
        ledger = Ledger()
        for profile in self._caches.profiles.values.values():
            ledger.upsert_profile(profile)
        for wanted in root_quotas.wanted(ledger, ledger.update(self._accounting)):
            name = (names.QUOTA_KIND, *wanted.key)
            if name not in self.stored:
                self.store(self._applied(roots.manifest(wanted), None))

    async def _apply(self, waiting: Sequence[Document]) -> Answers:
        while True:
            refused = []
            for each in waiting:
                message = await self._ask(each)
                if message:
                    refused.append((each, message))
            if len(refused) in (0, len(waiting)):
                return {name_of(each): message for each, message in refused}
            waiting = [each for each, _ in refused]

    def store(self, document: Document) -> None:
        """Store a document without a review, as one that was there before."""
        self._version += 1
        stored = copy.deepcopy(document)
        stored["metadata"] |= {"resourceVersion": str(self._version)}
        self.stored[name_of(stored)] = stored
        if stored["kind"] == names.QUOTA_KIND:
            self._caches.quotas.upsert(msgspec.convert(stored, StoredQuota))
        elif stored["kind"] == names.PROFILE_KIND:
            self._caches.profiles.upsert(msgspec.convert(stored, ProfileManifest))
        elif stored["kind"] == "Namespace":
            self._caches.namespaces.upsert(msgspec.convert(stored, NamespaceManifest))

    async def _ask(self, document: Document) -> str:
        """Why a document is refused, or an empty text."""
        path, old = _PATHS.get(document["kind"]), self.stored.get(name_of(document))
        warned: list[str] = []
        if DELETED in document:
            if path is None or old is None:
                return ""
            message, _ = await self._review(f"/validate/{path}", None, old, warned)
            if not message:
                self._remove(document)
                self._note(document, warned)
            return message
        new = self._applied(document, old)
        for verb in ("mutate", "validate") if path else ():
            message, new = await self._review(f"/{verb}/{path}", new, old, warned)
            if message:
                return message
        self.store(new)
        self._note(document, warned)
        return ""

    def _note(self, document: Document, warned: Sequence[str]) -> None:
        if warned:
            self.warned.append((name_of(document), tuple(warned)))

    def _applied(self, document: Document, old: Document | None) -> Document:
        """What an apply asks for: labels and annotations are merged, the spec is replaced."""
        new = copy.deepcopy(document)
        metadata = new["metadata"]
        metadata["namespace"] = name_of(document)[1]
        before = {} if old is None else old["metadata"]
        for part in ("labels", "annotations"):
            metadata[part] = {**before.get(part, {}), **(metadata.get(part) or {})}
        number = len(self.stored)
        metadata["uid"] = before.get("uid", f"uid-{self._version}-{number}")
        age = f"2026-01-01T{number // 3600:02}:{number // 60 % 60:02}:{number % 60:02}Z"
        metadata["creationTimestamp"] = before.get("creationTimestamp", age)
        return new

    def _remove(self, document: Document) -> None:
        name = name_of(document)
        del self.stored[name]
        if name[0] == names.QUOTA_KIND:
            self._caches.quotas.delete(_key(name))
        elif name[0] == names.PROFILE_KIND:
            self._caches.profiles.delete(_key(name))

    async def _review(
        self, path: str, new: Document | None, old: Document | None, warned: list[str]
    ) -> tuple[str, Document]:
        question = webhook_fixture.review(new, old)
        body = msgspec.json.encode(question)
        answer = msgspec.json.decode(await self._routes[path].answer(body))["response"]
        if not answer["allowed"]:
            return answer["status"]["message"], {}
        warned += answer.get("warnings") or ()
        return "", webhook_fixture.patch(new or {}, answer)

    async def pages(
        self, resource: object, *_: object, **__: object
    ) -> AsyncIterator[Page[msgspec.Raw]]:
        """The stored pods; whatever else is stored has been seen already."""
        pods = [each for (kind, *_), each in self.stored.items() if kind == "Pod"]
        shown = pods if resource == paths.PODS else []
        page = {"metadata": {}, "items": shown}
        yield msgspec.json.decode(msgspec.json.encode(page), type=Page[msgspec.Raw])

    async def create(self, _: object, __: object, asked: Any) -> dict[str, object]:
        """Whether the user may place quotas below a parent: where it has no list."""
        parent = asked["spec"]["resourceAttributes"]["name"]
        lists = [
            each["spec"].get("access", {}).get("children")
            for (kind, _, name), each in self.stored.items()
            if kind == names.QUOTA_KIND and name == parent and isinstance(each.get("spec"), dict)
        ]
        return {"status": {"allowed": not any(each is not None for each in lists)}}


def simulated(
    folder: Path,
    base: Iterable[Document],
    change: Iterable[Document] = (),
    configuration: Configuration = CHART,
) -> tuple[Answers, list[str], int]:
    """What ``simulate --strict`` refuses of the change, or of the base, its notes and exit code."""
    file = folder / "config.yaml"
    chosen = {
        "controllerUser": configuration.controller_user,
        "rules": {"profile": configuration.rules.profile},
    }
    file.write_bytes(msgspec.json.encode(chosen))
    arguments = ["--config", str(file), "-f", _file(folder, "base.json", base)]
    if changes := list(change):
        arguments += ["--what-if", _file(folder, "change.json", changes)]
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        code = cli.main(["simulate", *arguments, "--strict", "-o", "json"])
    report = msgspec.json.decode(out.getvalue() or b'{"refused": [], "notes": []}')
    return dict(_refused(report)), report["notes"], code


def imported(dialect: str, file: Path) -> list[Document]:
    """The quotas that ``import`` makes of the objects of another system."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        assert cli.main(["import", dialect, "-f", str(file)]) == 0
    return [each for each in yaml.safe_load_all(out.getvalue()) if each]


def _refused(report: Document) -> Iterator[tuple[Name, str]]:
    for each in report["refused"]:
        yield (each["kind"], each["namespace"], each["name"]), each["message"]


def _file(folder: Path, name: str, documents: Iterable[Document]) -> str:
    file = folder / name
    file.write_bytes(
        msgspec.json.encode({"kind": "List", "apiVersion": "v1", "items": list(documents)})
    )
    return str(file)


def _key(name: Name) -> ObjectKey:
    return ObjectKey(name[1], name[2], "")
