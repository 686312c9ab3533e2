"""Numbers in sentences."""

from __future__ import annotations

import math
from collections.abc import Iterable

from popout.drawing import representation

SMALL = 1e-8
"""Numbers below this are written with an exponent."""
MINUS = "\N{MINUS SIGN}"


def fixed(value: float, digits: int = 3) -> str:
    """Return a number to a few significant digits, without an exponent where it can be read.

    Examples
    --------
    >>> fixed(0.043987), fixed(12345.6), fixed(-2.0), fixed(3.2e-7), fixed(float("nan"))
    ('0.0440', '12346', '−2.00', '3.2e-07', 'unknown')
    """
    if not math.isfinite(value):
        return "unknown" if math.isnan(value) else ("infinite" if value > 0 else "minus infinite")
    if value == 0:
        return "0"
    size = math.floor(math.log10(abs(value)))
    if size < -5:
        return f"{value:.2g}"
    return f"{value:.{max(0, digits - 1 - size)}f}".replace("-", MINUS)


def threshold(value: float) -> str:
    """Return a threshold in nats; a millionth of a nat is none.

    Examples
    --------
    >>> threshold(-1e-9), threshold(-4.551)
    ('0', '−4.55')
    """
    return fixed(0.0 if abs(value) < 1e-6 else value)


def percent(share: float, digits: int = 2) -> str:
    """Return a share in percent.

    Examples
    --------
    >>> percent(0.0123), percent(0.5)
    ('1.2 %', '50 %')
    """
    return f"{fixed(100 * share, digits)} %"


def percent_range(shares: Iterable[float], digits: int = 2) -> str:
    """Return the smallest and the largest of some shares in percent, or the one they all are.

    Examples
    --------
    >>> percent_range([0.012, 0.5, 0.1]), percent_range([0.02, 0.02])
    ('1.2 to 50 %', '2.0 %')
    """
    return f"{ranged((100 * share for share in shares), digits)} %"


def with_error(value: float, error: float, factor: float = 1.0, digits: int = 2) -> str:
    """Return a value and its error, the error to two digits and the value to as many places.

    Examples
    --------
    >>> with_error(0.043987, 0.000123), with_error(0.5, 0.0), with_error(0.00812, 0.0004, 100)
    ('0.04399 ± 0.00012', '0.500', '0.812 ± 0.040')
    """
    value, error = factor * value, factor * error
    if not (math.isfinite(value) and math.isfinite(error)) or error <= 1e-9 * abs(value):
        return fixed(value)
    text = representation.with_error(value, error, digits, small=SMALL).replace("+-", "±")
    return text if "e" in text else text.replace("-", MINUS)


def sentence(text: str) -> str:
    """Return the text with a capital first letter, but for a name such as a-SPRT.

    Examples
    --------
    >>> sentence("fixed time"), sentence("a-SPRT")
    ('Fixed time', 'a-SPRT')
    """
    return text if text[1:2] == "-" else text[:1].upper() + text[1:]


def ranged(values: Iterable[float], digits: int = 2) -> str:
    """Return the smallest and the largest of some numbers, or the one they all are.

    Examples
    --------
    >>> ranged([0.65, 0.7, 0.66]), ranged([2.0, 2.0])
    ('0.65 to 0.70', '2.0')
    """
    numbers = [float(value) for value in values]
    low, high = fixed(min(numbers), digits), fixed(max(numbers), digits)
    return low if low == high else f"{low} to {high}"


def cost_words(absent: float, present: float) -> str:
    """Return a cost of time in words.

    Examples
    --------
    >>> cost_words(0.2, 0.2), cost_words(0.1, 0.2)
    ('0.2/s', '0.1/s without and 0.2/s with a target')
    """
    if absent == present:
        return f"{absent:g}/s"
    return f"{absent:g}/s without and {present:g}/s with a target"
