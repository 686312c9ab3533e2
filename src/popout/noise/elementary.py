r"""Elementary functions that give the same bits on every machine, in scalar and in SIMD code.

A simulated trial must not depend on the number of threads, the SIMD width, or the libm at hand. The
functions here use only operations that IEEE 754 rounds correctly (add, multiply, fused
multiply-add, divide, square root) in a fixed order, have no branches, and are compiled without
fast-math: LLVM turns loops over them into vector code, and each lane holds exactly the bits of the
scalar evaluation.

- :math:`-\log u`: :math:`u = 2^k m` with :math:`m \in [\sqrt{1/2}, \sqrt 2)`, then
  :math:`\log m = 2\,\mathrm{artanh}\frac{m-1}{m+1}` by fdlibm's minimax polynomial.
- :math:`e^x`: :math:`x = k \log 2 + r` with :math:`|r| \le \frac12 \log 2`, then the Taylor
  polynomial of degree 13 (remainder below :math:`5\times10^{-18}`).
- :math:`\sin, \cos` on :math:`[-\pi/4, \pi/4]`: Cephes' minimax polynomials.

All are accurate to about one unit in the last place; the tests measure it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

F = TypeVar("F", bound=Callable[..., Any])

# No fast-math, and (error_model) no Python check hidden in a division. `nogil` lets threads run.
_OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy"}


def _intrinsic(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give Numba's decorator a type."""
    result: Callable[..., Any] = intrinsic(function)
    return result


def compiled(function: F) -> F:
    """Compile with Numba, with the options that every kernel here shares; cached on disk."""
    result: F = njit(**_OPTIONS)(function)
    return result


def compiled_inline(function: F) -> F:
    """Compile with Numba and inline into the caller, so that its constants are known inside."""
    result: F = njit(inline="always", **_OPTIONS)(function)
    return result


@compiled
def copy_to(target: Any, source: Any) -> None:
    """Copy the entries of an array.

    For ``target[:] = source`` Numba compiles, for seconds, how a mismatch would be put into words.
    """
    for i in range(len(source)):
        target[i] = source[i]


_U = np.uint64
_DOUBLE = ir.DoubleType()


@_intrinsic
def fma(typingctx: Any, a: Any, b: Any, c: Any) -> Any:
    """Return ``a * b + c`` rounded once."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = ir.FunctionType(_DOUBLE, [_DOUBLE] * 3)
        return builder.call(builder.module.declare_intrinsic("llvm.fma", [_DOUBLE], kind), args)

    return types.float64(types.float64, types.float64, types.float64), codegen


@_intrinsic
def as_double(typingctx: Any, bits: Any) -> Any:
    """Return the double that has these 64 bits."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.bitcast(args[0], _DOUBLE)

    return types.float64(types.uint64), codegen


@_intrinsic
def as_bits(typingctx: Any, x: Any) -> Any:
    """Return the 64 bits of a double."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.bitcast(args[0], ir.IntType(64))

    return types.uint64(types.float64), codegen


@compiled
def unit_interval(word: Any) -> float:
    """Return the number in [0, 1) that the upper 53 of 64 random bits make.

    Examples
    --------
    >>> unit_interval(np.uint64(1 << 63))
    0.5
    """
    return float(word >> _U(11)) * 2.0**-53


_SQRT_HALF_BITS = _U(0x3FE6A09E667F3BCD)
_EXPONENT_MASK = _U(0xFFF0000000000000)
# Adding 1.5 * 2^52 puts an integer into the low bits of a double: rounding and conversion in one.
_MAGIC = 6755399441055744.0
_MAGIC_BITS = _U(0x4338000000000000)
_LN2 = math.log(2.0)
_LN2_HIGH = 6.93147180369123816490e-01  # 33 bits, so that k * _LN2_HIGH is exact
_LN2_LOW = 1.90821492927058770002e-10
_LOG2E = 1.0 / math.log(2.0)


@compiled
def minus_log(u: float) -> float:
    """Return ``-log(u)`` for a positive normal `u`.

    Examples
    --------
    >>> minus_log(0.5) == math.log(2.0)
    True
    """
    bits = as_bits(u)
    # An exponent field that counts from sqrt(1/2) instead of 1.
    exponent = (bits - _SQRT_HALF_BITS) & _EXPONENT_MASK
    f = as_double(bits - exponent) - 1.0
    k = as_double(_MAGIC_BITS + _U(np.int64(exponent) >> 52)) - _MAGIC
    s = f / (2.0 + f)
    z = s * s
    p = fma(z, 1.479819860511658591e-01, 1.531383769920937332e-01)
    p = fma(z, p, 1.818357216161805012e-01)
    p = fma(z, p, 2.222219843214978396e-01)
    p = fma(z, p, 2.857142874366239149e-01)
    p = fma(z, p, 3.999999999940941908e-01)
    p = fma(z, p, 6.666666666666735130e-01)
    half = 0.5 * f * f
    result: float = (half - s * fma(z, p, half)) - fma(k, _LN2, f)
    return result


@compiled
def bounded_exp(x: float) -> float:
    """Return ``exp(x)``, with `x` first clipped to [-700, 700] so that nothing over- or underflows.

    Examples
    --------
    >>> bounded_exp(0.0), bounded_exp(-np.inf) < 1e-300
    (1.0, True)
    """
    x = x if x > -700.0 else -700.0  # a select; Python's max() would keep LLVM from vectorising
    x = x if x < 700.0 else 700.0
    shifted = fma(x, _LOG2E, _MAGIC)
    k = shifted - _MAGIC
    r = fma(k, -_LN2_LOW, fma(k, -_LN2_HIGH, x))
    p = fma(r, 1.0 / 6227020800.0, 1.0 / 479001600.0)
    p = fma(r, p, 1.0 / 39916800.0)
    p = fma(r, p, 1.0 / 3628800.0)
    p = fma(r, p, 1.0 / 362880.0)
    p = fma(r, p, 1.0 / 40320.0)
    p = fma(r, p, 1.0 / 5040.0)
    p = fma(r, p, 1.0 / 720.0)
    p = fma(r, p, 1.0 / 120.0)
    p = fma(r, p, 1.0 / 24.0)
    p = fma(r, p, 1.0 / 6.0)
    p = fma(r, p, 0.5)
    p = fma(r, p, 1.0)
    p = fma(r, p, 1.0)
    result: float = as_double(as_bits(p) + (as_bits(shifted) << _U(52)))
    return result


@compiled
def quarter_sincos(phi: float) -> tuple[float, float]:
    """Return ``(sin(phi), cos(phi))`` for ``|phi| <= pi/4``.

    Examples
    --------
    >>> quarter_sincos(0.0)
    (0.0, 1.0)
    """
    z = phi * phi
    s = fma(z, 1.58962301576546568060e-10, -2.50507477628578072866e-8)
    s = fma(z, s, 2.75573136213857245213e-6)
    s = fma(z, s, -1.98412698295895385996e-4)
    s = fma(z, s, 8.33333333332211858878e-3)
    s = fma(z, s, -1.66666666666666307295e-1)
    c = fma(z, -1.13585365213876817300e-11, 2.08757008419747316778e-9)
    c = fma(z, c, -2.75573141792967388112e-7)
    c = fma(z, c, 2.48015872888517045348e-5)
    c = fma(z, c, -1.38888888888730564116e-3)
    c = fma(z, c, 4.16666666666665929218e-2)
    c = fma(z, c, -0.5)
    return fma(phi * z, s, phi), fma(z, c, 1.0)
