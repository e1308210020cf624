"""What each verb does to the store, subresources included; no HTTP here."""

import copy
from dataclasses import dataclass, field
from typing import Any

from api_double import patches, refusals, selectors
from api_double.kinds import SERVED, Kind
from api_double.refusals import Refusal
from api_double.store import Document, Key, Store
from elasticquota_kube.client import paths
from elasticquota_kube.client.paths import Resource


_BUDGETS = next(kind for kind in SERVED if kind.resource == paths.DISRUPTION_BUDGETS)
_NAMES_OF_EVENTS = {"message": "note", "involvedObject": "regarding"}
"""Fields of the core API by their names in events.k8s.io."""


@dataclass(slots=True)
class Verbs:
    """The API server's behavior; every method raises `Refusal` where the real one refuses."""

    store: Store
    kinds: list[Kind] = field(default_factory=lambda: list(SERVED))
    evictions: dict[Key, Refusal] = field(default_factory=dict)
    pages: dict[str, tuple[str, list[Document]]] = field(default_factory=dict)
    kept: dict[Resource, tuple[str, ...]] = field(default_factory=dict)
    """The fields of a status that a definition has, where it does not have all."""
    dropped: dict[Resource, str] = field(default_factory=dict)
    """A field of the spec that a definition does not have."""

    def list(self, kind: Kind, namespace: str, query: dict[str, str]) -> Document:
        selectors.check(kind.resource, query)
        limit = int(query.get("limit", "0"))
        token = query.get("continue", "")
        if token:
            if token not in self.pages:
                raise refusals.bad_request("continue key is not valid")
            version, items = self.pages[token]
            if int(version) < self.store.oldest:
                raise refusals.expired(version)
        else:
            version = str(self.store.version)
            items = [
                obj
                for (where, _), obj in sorted(self.store.of(kind).items())
                if namespace in ("", where) and selectors.matches(obj, query)
            ]
        meta: Document = {"resourceVersion": version}
        if limit and len(items) > limit:
            meta["continue"] = f"{version}.{kind.resource.plural}.{len(self.pages)}.{len(items)}"
            meta["remainingItemCount"] = len(items) - limit
            self.pages[meta["continue"]] = (version, items[limit:])
            items = items[:limit]
        if not kind.is_custom:
            items = [_without_kind(obj) for obj in items]
        return {
            "kind": f"{kind.kind}List",
            "apiVersion": kind.resource.api_version,
            "metadata": meta,
            "items": items,
        }

    def create(self, kind: Kind, namespace: str, manifest: Document, *, dry: bool) -> Document:
        meta = manifest.get("metadata") or {}
        if "name" not in meta:
            raise refusals.invalid("metadata.name: Required value: name is required")
        if meta.get("namespace", namespace) != namespace:
            raise refusals.bad_request(
                "the namespace of the provided object does not match the namespace sent on the "
                "request"
            )
        if kind.namespaced:
            self.store.get(SERVED[0], ("", namespace))
        if kind.status and kind.is_custom:
            manifest = {name: part for name, part in manifest.items() if name != "status"}
        return self.store.create(kind, namespace, manifest, dry=dry)

    def replace(
        self, kind: Kind, key: Key, manifest: Document, subresource: str, *, dry: bool
    ) -> Document:
        before = self.store.get(kind, key)
        if kind.is_custom and not manifest["metadata"].get("resourceVersion"):
            raise refusals.invalid(
                "metadata.resourceVersion: Invalid value: 0: must be specified for an update"
            )
        return self._update(kind, key, before, manifest, subresource, dry=dry)

    def patch(
        self,
        kind: Kind,
        key: Key,
        content_type: str,
        patch: Any,
        subresource: str,
        *,
        dry: bool,
    ) -> Document:
        before = self.store.get(kind, key)
        if kind.resource == paths.CORE_EVENTS:
            patch = {_NAMES_OF_EVENTS.get(name, name): value for name, value in patch.items()}
        after = patches.apply(content_type, before, patch)
        if kind.resource == paths.EVENTS and after["note"] != before["note"]:
            raise refusals.invalid(
                f'Event "{key[1]}" is invalid: message: Invalid value: "{after["note"]}": '
                "field is immutable"
            )
        return self._update(kind, key, before, after, subresource, dry=dry)

    def delete(self, kind: Kind, key: Key, options: Document) -> Document:
        self._check_uid(kind, key, options)
        deleted = self.store.delete(kind, key, grace=options.get("gracePeriodSeconds"))
        is_gone = "deletionTimestamp" not in deleted["metadata"]
        # Pods and namespaces are among the few kinds whose last state the answer shows.
        if is_gone and kind.resource not in (paths.PODS, paths.NAMESPACES):
            return {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success"}
        return deleted

    def evict(self, kind: Kind, key: Key, eviction: Document) -> Document:
        pod = self.store.get(kind, key)
        if key in self.evictions:
            raise self.evictions[key]
        options = eviction.get("deleteOptions") or {}
        if not pod["metadata"].get("deletionTimestamp") and _is_guarded(pod):
            self._ask_budgets(key[0], pod)
        self._check_uid(kind, key, options)
        if options.get("dryRun") != ["All"]:
            self.store.delete(kind, key)
        return {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success"}

    def _ask_budgets(self, namespace: str, pod: Document) -> None:
        labels = pod["metadata"].get("labels") or {}
        budgets = [
            budget
            for (where, _), budget in self.store.of(_BUDGETS).items()
            if where == namespace
            and budget["spec"]["selector"]["matchLabels"].items() <= labels.items()
        ]
        if len(budgets) > 1:
            raise refusals.two_budgets()
        for budget in budgets:
            if (budget.get("status") or {}).get("disruptionsAllowed", 0) <= 0:
                raise refusals.blocked_by_budget(budget["metadata"]["name"])

    def _check_uid(self, kind: Kind, key: Key, options: Document) -> None:
        uid = self.store.get(kind, key)["metadata"]["uid"]
        wanted = (options.get("preconditions") or {}).get("uid", uid)
        if wanted != uid:
            raise refusals.other_uid(kind.kind, key[1], wanted, uid)

    def _update(
        self,
        kind: Kind,
        key: Key,
        before: Document,
        after: Document,
        subresource: str,
        *,
        dry: bool,
    ) -> Document:
        meta, old = after["metadata"], before["metadata"]
        if meta.get("resourceVersion") not in (None, "", old["resourceVersion"]):
            raise refusals.stale(kind.resource, key[1])
        if meta.get("uid", old["uid"]) != old["uid"]:
            raise refusals.other_uid(kind.kind, key[1], meta["uid"], old["uid"])
        if subresource == "status":
            status = after.get("status", {})
            kept = self.kept.get(kind.resource, tuple(status or ()))
            new = {**before, "status": {name: status[name] for name in kept if name in status}}
        elif kind.status:
            new = {name: part for name, part in after.items() if name != "status"}
            if kind.resource in self.dropped:
                new["spec"].pop(self.dropped[kind.resource], None)
            if "status" in before:
                new["status"] = before["status"]
        else:
            new = dict(after)
        return self.store.write(kind, key, copy.deepcopy(new), dry=dry)


def _is_guarded(pod: Document) -> bool:
    # Budgets do not protect pods that do not run.
    return bool(pod.get("status", {}).get("phase") == "Running")


def _without_kind(obj: Document) -> Document:
    return {name: part for name, part in obj.items() if name not in ("kind", "apiVersion")}
