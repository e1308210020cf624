"""A definition without a schema, as an older release or another project may have it."""

from collections.abc import Iterator
from contextlib import contextmanager

from users import Document, RefusedError, User
from waiting import eventually


@contextmanager
def without_schema(admin: User, crd: str, probe: Document) -> Iterator[None]:
    """The definition of another project, which accepts everything; ours refuses ``probe``."""
    path = "/spec/versions/0/schema/openAPIV3Schema"
    versions = admin.get("CustomResourceDefinition", crd)["spec"]["versions"]
    anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}

    def define(schema: object) -> None:
        change = [{"op": "replace", "path": path, "value": schema}]
        admin.patch("CustomResourceDefinition", crd, change=change)

    def refused() -> bool:
        try:
            admin.create(probe, dry_run=True)
        except RefusedError as error:
            if error.code == 429:  # it is listing everything again
                raise
            return "is invalid" in error.message  # a webhook says "denied"
        return False

    define(anything)
    try:
        eventually(refused, False)
        yield
    finally:
        define(versions[0]["schema"]["openAPIV3Schema"])
        eventually(refused, True)
        eventually(lambda: len(admin.list(probe["kind"])), bool)
