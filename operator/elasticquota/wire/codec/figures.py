"""A figure is an amount for the eye: about three digits, the unit people think in, plain ASCII.

Not for programs and never read back: ``1.5`` cores of ``1525m``, ``1.5Gi`` of ``1600Mi``.
"""

from typing import Final

from elasticquota import names, quantity
from elasticquota.resources import Resources


_BINARY: Final = ("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei")
# The root quotas' max (K 3.5) in whole units: a number that stands for no limit.
_BOUNDLESS: Final = 4_611_686_018_427_387


def boundless(resource: str, amount: int) -> bool:
    """The amount is a placeholder for "no limit"."""
    return amount >= (_BOUNDLESS * 1000 if resource == names.CPU else _BOUNDLESS)


def cpu(millicores: int) -> str:
    """Cores."""
    return _rounded(millicores, 1000)


def memory(count: int) -> str:
    """Bytes in the largest binary unit that leaves at least 1."""
    step = min(max(0, (abs(count).bit_length() - 1) // 10), len(_BINARY) - 1)
    return _rounded(count, 1 << (10 * step)) + _BINARY[step]


def one(resource: str, amount: int) -> str:
    """The figure of any resource; what is neither cpu nor memory is shown exactly."""
    if boundless(resource, amount):
        return "-"
    if resource == names.CPU:
        return cpu(amount)
    return memory(amount) if resource == names.MEMORY else quantity.text(resource, amount)


def inline(amounts: Resources) -> str:
    """``cpu 4, memory 16Gi``; empty for nothing."""
    return ", ".join(f"{key} {one(key, amount)}" for key, amount in sorted(amounts.items()))


def _rounded(amount: int, of: int) -> str:
    """``amount / of``: at most two decimals below 10, one below 100, none above, half to even.

    Something is never shown as 0.
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
