"""Round amounts for people: about three digits, the usual unit, plain ASCII.

Programs never read these texts: ``1525m`` becomes ``1.52`` cores, ``1600Mi`` becomes ``1.56Gi``.
"""

from typing import Final

from elasticquota import names, pool_keys, quantity, resources
from elasticquota.forest import wording
from elasticquota.resources import Resources


_BINARY: Final = ("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei")


def boundless(resource: str, amount: int) -> bool:
    """Whether the amount means "no limit"."""
    return amount >= resources.unlimited(resource)


def cpu(millicores: int) -> str:
    """Return cores, from millicores."""
    return _rounded(millicores, 1000)


def memory(count: int) -> str:
    """Return bytes in the largest binary unit in which the number is at least 1."""
    step = min(max(0, (abs(count).bit_length() - 1) // 10), len(_BINARY) - 1)
    return _rounded(count, 1 << (10 * step)) + _BINARY[step]


def one(resource: str, amount: int) -> str:
    """Return the text for any resource; amounts other than cpu and memory are exact."""
    if boundless(resource, amount):
        return "-"
    plain = pool_keys.resource(resource)
    if plain == names.CPU:
        return cpu(amount)
    return memory(amount) if plain == names.MEMORY else quantity.text(plain, amount)


def inline(amounts: Resources) -> str:
    """Return all amounts in one line: ``4 cpu, 16Gi memory``; one without limit is left out."""
    limited = (each for each in sorted(amounts.items()) if not boundless(*each))
    texts = ((key, one(key, amount)) for key, amount in limited)
    return ", ".join(f"{text} {wording.title(key, one=text == '1')}" for key, text in texts)


def _rounded(amount: int, of: int) -> str:
    """``amount / of``: at most two decimals below 10, one below 100, none above, half to even.

    An amount other than 0 is never shown as 0.
    """
    places = 2 if abs(amount) < 10 * of else 1 if abs(amount) < 100 * of else 0
    shown, left = divmod(amount * 10**places, of)
    if 2 * left > of or (2 * left == of and shown % 2):
        shown += 1
    if amount and not shown:
        return "<0.01"
    digits = f"{abs(shown):0{places + 1}}"
    text = f"{digits[:-places]}.{digits[-places:]}".rstrip("0").rstrip(".") if places else digits
    return f"-{text}" if shown < 0 else text
