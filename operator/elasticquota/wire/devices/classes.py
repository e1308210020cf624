"""DeviceClass manifest -> DeviceClass."""

from typing import Final

from elasticquota.model.claims import DeviceClass
from elasticquota.model.fault import Fault
from elasticquota.wire.codec import fields
from elasticquota.wire.codec.metadata import StatusManifest


MOST_SELECTORS: Final = 32


def read(manifest: StatusManifest) -> DeviceClass:
    """Return the class; with a fault its devices count nowhere."""
    faults: list[Fault] = []
    spec = fields.mapping(manifest.spec, "spec", faults)
    expressions = []
    written = fields.sequence(spec.get("selectors"), "spec.selectors", faults, MOST_SELECTORS)
    for index, each in enumerate(written):
        where = f"spec.selectors[{index}]"
        selector = fields.mapping(each, where, faults)
        cel = fields.mapping(selector.get("cel"), f"{where}.cel", faults)
        expression = cel.get("expression")
        if isinstance(expression, str) and expression:
            expressions.append(expression)
        else:
            faults.append(Fault(where, "must be a CEL expression"))
    extended = spec.get("extendedResourceName")
    if extended is not None and not fields.is_name(extended):
        faults.append(
            fields.mismatch("spec.extendedResourceName", "the name of a resource", extended)
        )
        extended = None
    return DeviceClass(
        manifest.metadata.name,
        manifest.metadata.created,
        tuple(expressions),
        extended or "",
        tuple(faults),
        manifest.metadata.uid,
    )
