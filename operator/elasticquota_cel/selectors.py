"""Which devices the selectors of a DeviceClass match, by the CEL runtime of its authors.

The environment is that of Kubernetes, as far as it is needed here: the variable ``device`` with
``driver``, ``attributes``, ``capacity`` and ``allowMultipleAllocations``, the extensions for
strings, optional values and ``cel.bind``, quantities and semantic versions. A domain that a device
does not have is an empty map. Attributes and capacities without a domain have that of the driver.

Expressions are of administrators, and the API server has bounded them. Here, too: an expression
has at most ``LONGEST`` characters, the runtime ends loops of more than 10,000 steps, and regular
expressions run in linear time (RE2). An expression with an unknown function does not compile: its
class is unknown, never guessed.

The runtime is loaded with the first class that has a selector.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from elasticquota import texts
from elasticquota.devices.class_offers import UnknownClassError, UnmatchedError
from elasticquota.model.claims import DeviceClass
from elasticquota.model.devices import Amount, Device, Value, Version
from elasticquota_cel import values


LONGEST: Final = 10 * 1024
"""Characters of an expression, as the API server allows."""

MOST_KEPT: Final = 4096
"""Results and programs that are kept."""

_NO_RUNTIME: Final = "this program has no CEL runtime; the package elastic-quota-operator has one"

_TEXT: Final = re.compile(r'"([^"\\]*)"|\'([^\'\\]*)\'')
_INDIRECT: Final = re.compile(
    r"device\s*\.\s*(?:attributes|capacity)\b"
    r"(?!\s*\[\s*\??\s*(?:\"[^\"]*\"|'[^']*')\s*\]\s*\.\s*\??\s*\w+\b(?!\s*\())"
)
"""A use of ``device`` that does not name the attribute in the text."""


class DeviceSelectors:
    """Call ``matches``; it keeps programs and results."""

    def __init__(self) -> None:
        self._environment: Any = None
        self._programs: dict[str, Any] = {}
        """Expression -> its program, or why there is none."""
        self._results: dict[tuple[str, Any], bool | str] = {}

    def matches(self, found: DeviceClass, device: Device) -> bool:
        """Return whether all selectors of the class match.

        Raises ``UnknownClassError`` when one cannot be evaluated for any device, and
        ``UnmatchedError`` when one fails for this device.
        """
        return all(self._holds(expression, device) for expression in found.expressions)

    def _holds(self, expression: str, device: Device) -> bool:
        program = self._programs.get(expression)
        if program is None:
            program = self._compiled(expression)
            _keep(self._programs, expression, program)
        if isinstance(program, str):
            raise UnknownClassError(program)
        key = (expression, _relevant(expression, device))
        result = self._results.get(key)
        if result is None:
            result = _evaluated(program, expression, device)
            _keep(self._results, key, result)
        if isinstance(result, str):
            raise UnmatchedError(result)
        return result

    def _compiled(self, expression: str) -> Any:
        """Return the program, or a text that says why there is none."""
        if len(expression) > LONGEST:
            return f"an expression of {len(expression)} characters; at most {LONGEST} are read"
        try:
            if self._environment is None:
                self._environment = values.environment()
        except ImportError:
            return f"expression {_shown(expression)} is not read: {_NO_RUNTIME}"
        try:
            program = self._environment.compile(expression)
        except (RuntimeError, ValueError, TypeError) as error:
            return f"expression {_shown(expression)} cannot be read: {_first_line(error)}"
        returned = program.return_type().name()
        if returned.lower() not in ("bool", "dyn", "any"):
            return f"expression {_shown(expression)} must be true or false, not {returned}"
        return program


def _evaluated(program: Any, expression: str, device: Device) -> bool | str:
    """Return the result, or a text that says why there is none."""
    try:
        result = program.eval(data={"device": _variable(expression, device)}).value()
    except (RuntimeError, ValueError, TypeError, OverflowError) as error:
        return f"expression {_shown(expression)} fails: {_first_line(error)}"
    if isinstance(result, bool):
        return result
    return f"expression {_shown(expression)} fails: {_first_line(result)}"


def _variable(expression: str, device: Device) -> Mapping[str, Any]:
    texts = {one or other for one, other in _TEXT.findall(expression)}
    attributes: dict[str, dict[str, Any]] = {text: {} for text in texts}
    for (domain, name), value in device.attributes:
        attributes.setdefault(domain, {})[name] = _plain(value)
    capacity: dict[str, dict[str, Any]] = {text: {} for text in texts}
    for (domain, name), amount in device.capacity:
        capacity.setdefault(domain, {})[name] = _plain(amount)
    return {
        "driver": device.driver,
        "allowMultipleAllocations": device.shared,
        "attributes": attributes,
        "capacity": capacity,
    }


def _plain(value: Value | Amount) -> Any:
    if isinstance(value, Amount):
        return values.of_nano(value.nano)
    if isinstance(value, Version):
        return values.semver(value.text)
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return value


def _relevant(expression: str, device: Device) -> Any:
    """What the result depends on: serial numbers do not matter to most expressions."""
    parts = (device.attributes, device.capacity)
    if not _INDIRECT.search(expression):
        parts = (
            tuple(each for each in device.attributes if each[0][1] in expression),
            tuple(each for each in device.capacity if each[0][1] in expression),
        )
    return (device.driver, device.shared, _typed(parts))


def _typed(parts: Any) -> Any:
    """``True`` and ``1`` are equal in Python and not in CEL."""
    return repr(parts)


def _keep(kept: dict[Any, Any], key: Any, value: Any) -> None:
    if len(kept) >= MOST_KEPT:
        del kept[next(iter(kept))]
    kept[key] = value


def _shown(expression: str) -> str:
    text = " ".join(expression.split())
    return f"'{text[:60]}...'" if len(text) > 60 else f"'{text}'"


def _first_line(error: object) -> str:
    text = str(error).strip().splitlines()[0] if str(error).strip() else "no reason given"
    return texts.printable(text[:160])
