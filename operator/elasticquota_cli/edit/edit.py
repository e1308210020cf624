"""Carries out one edit: tries it on the API server, shows the difference, asks, and writes it.

The trial is a server-side dry run, so the webhook and the policies judge the edit, and their
warnings and refusals are shown before anything changes; so is what ``plan`` says of it. The write
fails if its spec, or a label or annotation that the edit sets, has changed since it was read. A
status changes all the time.
"""

import difflib
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import yaml

from elasticquota.structs import Struct
from elasticquota_cli.failures import refusal
from elasticquota_cli.failures.failure import Failure
from elasticquota_cli.live.listing import Cluster
from elasticquota_cli.printers import output, table
from elasticquota_cli.printers.output import Form
from elasticquota_kube.client.api import Api, Document
from elasticquota_kube.client.paths import Resource
from elasticquota_kube.client.rest.errors import ApiError


_YES: Final = ("y", "yes")
_TRIES: Final = 8
"""Writes of one edit, while only the rest of the object changes in between."""


class Edit(Struct, frozen=True):
    """A merge patch of one object."""

    resource: Resource
    namespace: str
    name: str
    patch: Mapping[str, Any]
    before: Document
    """As it was read."""
    done: str = "changed"
    """What has been done to it, for the last line."""

    @property
    def title(self) -> str:
        return f"{self.resource.plural.removesuffix('s')} {self.namespace}/{self.name}"


class Consent(Struct, frozen=True):
    """Whether the user has agreed already, and whether only the trial is wanted."""

    yes: bool = False
    dry_run: bool = False


Effect = Callable[[Cluster, Edit, Document], str]
"""What the edit would do to pods, in a sentence, for the object as it would be stored."""


def carry_out(
    cluster: Cluster, edit: Edit, consent: Consent, effect: Effect, form: Form = "text"
) -> None:
    """Try, show, ask and write; raises `Failure` when it is refused or not agreed to.

    Who has agreed already does not wait for the ``effect``. In a ``form`` for programs standard
    output has only the object, as it is then.
    """
    warnings: list[str] = []
    after = _sent(cluster, edit, warnings, dry_run=True)
    lines = list(difference(edit.before, after))
    for text in dict.fromkeys(warnings):
        table.line(f"warning: {text}", aside=True)
    said = f"{edit.title} is so already."
    if lines:
        aside = form in output.FOR_PROGRAMS
        for line in lines:
            table.line(line, "bad" if line.startswith("-") else "plain", aside=aside)
        if not consent.yes:
            table.line(f"effect: {effect(cluster, edit, after)}", aside=True)
        if consent.dry_run:
            said = f"{edit.title} would be {edit.done} (dry run)."
        elif consent.yes or _agreed():
            after = _sent(cluster, edit, [], dry_run=False)
            said = f"{edit.title} {edit.done}."
        else:
            raise Failure("nothing was changed")
    called = output.name_of(edit.resource, edit.name)
    output.write(after, form, lambda: print(said), [called])


_LAST_APPLIED: Final = "kubectl.kubernetes.io/last-applied-configuration"
"""The copy of the object that ``kubectl apply`` keeps; no edit here changes it."""


def difference(before: Document, after: Document) -> Iterator[str]:
    """The lines of both, as diff shows them; empty when nothing of a user's changes."""
    old, new = _shown(before), _shown(after)
    if old != new:
        yield from list(difflib.unified_diff(old, new, lineterm="", n=2))[2:]


def _shown(document: Document) -> list[str]:
    """What users write, as YAML: labels, annotations but kubectl's own copy, and spec."""
    meta = document.get("metadata") or {}
    kept: Document = {key: meta.get(key) for key in ("labels", "annotations")}
    if kept["annotations"]:
        kept["annotations"] = {
            key: value for key, value in kept["annotations"].items() if key != _LAST_APPLIED
        }
    kept["spec"] = document.get("spec")
    text: str = yaml.safe_dump({key: value for key, value in kept.items() if value})
    return text.splitlines()


def _agreed() -> bool:
    if not sys.stdin.isatty():
        raise Failure(
            "nothing was changed: standard input is no terminal to ask on; --yes writes it without "
            "asking"
        )
    print("Change it? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in _YES


def _sent(cluster: Cluster, edit: Edit, warnings: list[str], *, dry_run: bool) -> Document:
    async def work(api: Api) -> Document:
        return await _patched(api, edit, dry_run=dry_run)

    try:
        return cluster.run(work, warnings.append)
    except ApiError as error:
        raise Failure(_refused(edit, error, dry_run=dry_run)) from None


async def _patched(api: Api, edit: Edit, *, dry_run: bool) -> Document:
    """Patch the object as it was read, or as it is now where that makes no difference."""
    known, place = edit.before, (edit.resource, edit.namespace, edit.name)
    left = _TRIES
    while True:
        read = known["metadata"]
        kept = {key: read[key] for key in ("resourceVersion", "uid") if key in read}
        patch = {**edit.patch, "metadata": {**edit.patch.get("metadata", {}), **kept}}
        try:
            return await api.patch(*place, patch, dry_run=dry_run)
        except ApiError as error:
            left -= 1
            if not (error.is_conflict and left):
                raise
            known = await api.get(*place)
            if _concerned(edit, known) != _concerned(edit, edit.before):
                raise


def _concerned(edit: Edit, document: Document) -> tuple[Any, ...]:
    """What an edit was agreed to on: the object, its spec, and the keys that the edit sets."""
    meta, changed = document["metadata"], edit.patch.get("metadata") or {}
    keys = [
        (part, key, (meta.get(part) or {}).get(key))
        for part in ("labels", "annotations")
        for key in changed.get(part) or {}
    ]
    return meta.get("uid"), document.get("spec"), keys


def _refused(edit: Edit, error: ApiError, *, dry_run: bool) -> str:
    if error.is_conflict:
        return f"{edit.title} has changed meanwhile; nothing was changed: run it again"
    if refusal.is_of_unknown_kind(error):
        return refusal.unknown(edit.resource)
    if error.is_unreachable and not dry_run:
        return f"it is not known whether {edit.title} is changed: {refusal.of(error)}"
    if error.is_unauthorized or error.is_unreachable:
        return f"{edit.title} is not changed: {refusal.of(error)}"
    return f"{edit.title} is not changed: {error.message}"
