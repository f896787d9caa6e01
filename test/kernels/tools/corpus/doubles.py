"""f64: arithmetic and conversions of edge cases, and kernels that compute in f64."""

import math
import struct

from .inputs import buf, case, mixed, out, scalar

SMALLEST = 2.0**-1074
FINITE = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 2.0**-1022, -(2.0**-1022), SMALLEST, -3 * SMALLEST, 1.5e308, -1.5e308, 1 + 2.0**-52, 1 - 2.0**-53, 2.0**53, 1e-200]
WHOLE = [0, 1, -1, 2**53, 2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63), 2**62 + 255, 2**31, -(2**31), 0xFFFFFFFF, 0x7F800001, 0x00000001, 0x7FC12345]


def f64(name, value):
    return scalar("f64", name, value)


def s32(name, value):
    return scalar("s32", name, value)


def between(n, low, high, special=()):
    """Special values, then numbers in [low, high) with 53 random bits."""
    return lambda s: (list(special) + [low + (high - low) * ((s.word() >> 11) / (1 << 53)) for _ in range(n)])[:n]


def any_double(n, special=()):
    """Special values, then numbers of all magnitudes: random bits, NaNs and infinities made finite."""
    def draw(s):
        values = list(special)
        while len(values) < n:
            word = s.word()
            if word >> 52 & 2047 != 2047:
                values.append(struct.unpack("<d", struct.pack("<Q", word))[0])
        return values[:n]

    return draw


def crossed(values):
    return [v for k in range(len(values)) for v in values[k:] + values[:k]]


def function(name, generator, n=96, entry=None):
    return case(name, "double", entry or name, 3, 40, [buf("in", "f64", generator), out("out", "f64", n), s32("n", n)])


ANGLES = [0.0, -0.0, math.pi, 1e-9, 100.0, -1e5, 105615.0, 1e15, -1e22, 1.7e308, math.inf]

CASES = [
    case("double_nbody", "double", "double_nbody", 2, 40,
         [*(buf(name, "f64", between(41, -4, 4)) for name in "xyz"), buf("mass", "f64", between(41, 0.5, 2)), out("out", "f64", 123),
          f64("softening", 1e-9), s32("n", 41)]),
    case("double_mandelbrot", "double", "double_mandelbrot", 2, 64,
         [out("out", "u16", 120), s32("width", 12), s32("height", 10), f64("left", -0.7452), f64("top", 0.1132),
          f64("step", 4e-5), s32("limit", 64)]),
    case("double_softmax", "double", "double_softmax", 2, 64, [buf("in", "f64", between(180, -20, 20)), out("out", "f64", 180), s32("columns", 45)]),
    case("double_fft", "double", "double_fft", 2, 64, [buf("data", "f64", between(256, -1, 1))]),
    function("double_exp", between(96, -50, 50, [0.0, -0.0, 709.7, 709.8, -708.5, -745.1, -746.0, math.inf, -math.inf, 1e-300])),
    function("double_log", any_double(96, [1.0, 2.0, 0.0, -0.0, -1.0, SMALLEST, math.inf, 1 - 2.0**-53, 1 + 2.0**-52])),
    function("double_sin", between(96, -10, 10, ANGLES)),
    case("double_pow", "double", "double_pow", 3, 40,
         [buf("a", "f64", between(96, 0, 9, [0.0, -2.0, -8.0, 1.0, math.inf, 2.0, 10.0, -0.0])),
          buf("b", "f64", between(96, -9, 9, [2.0, 3.0, 1 / 3, math.inf, -1.0, -1074.0, 308.0, -3.0])), out("out", "f64", 96), s32("n", 96)]),
    case("double_rounded", "double", "double_rounded", 2, 64,
         [buf("a", "f64", between(128, -4, 4, FINITE * 5)), buf("b", "f64", between(128, -9, 9, crossed(FINITE)[:80])),
          buf("c", "f64", any_double(128, FINITE[3:] + FINITE[:3] + [1e-320])), out("out", "f64", 12 * 128), s32("n", 128)]),
    case("double_quotients", "double", "double_quotients", 2, 64,
         [buf("a", "f64", any_double(128, FINITE * 4)), buf("b", "f64", any_double(128, crossed(FINITE)[:64])), out("out", "f64", 11 * 128), s32("n", 128)]),
    case("double_converted", "double", "double_converted", 2, 64,
         [buf("in", "f64", between(128, -3e5, 3e5, [*FINITE, 2147483647.5, 2147483648.0, -2147483648.5, 4294967295.5, 9.3e18, -9.3e18, 1.9e19, math.inf, -math.inf,
                                                    3.4028235e38, 3.5e38, 1e-40, 2.0**-150, 1 + 2.0**-24, 1 + 3 * 2.0**-24, 1.5, 2.5, -0.5])),
          buf("whole", "s64", mixed(128, WHOLE, 64)), out("out", "f64", 12 * 128), out("integers", "s64", 10 * 128), out("single", "f32", 4 * 128), s32("n", 128)]),
]
