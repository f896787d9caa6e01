"""Integer intrinsics, f32 arithmetic in three builds, and an unoptimized build."""

import math

from .inputs import bits, buf, case, floats, ints, mixed, out, scalar, text

WORDS = [0, 1, 2, 0xFFFFFFFF, 0x80000000, 0x7FFFFFFF, 0x0000FFFF, 0xFFFF0000, 0x00FF00FF, 0x80808080]
HALVES = [0, 1, 0xFFFF, 0x8000, 0x7FFF, 0x00FF, 0xFF00, 2]
SMALLEST = 2.0**-126
DENORMAL = 2.0**-149
# NaNs last: struct.pack writes the quiet one.
FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 2.0**-126, -(2.0**-126), 2.0**-149, -3 * 2.0**-140, 3.0e38, -3.0e38, 1 + 2.0**-23,
          math.inf, -math.inf, math.nan]
FINITE = FLOATS[:-3]


def s32(name, value):
    return scalar("s32", name, value)


def crossed(values):
    """The values rotated by every distance. Paired with as many repeats of the values, every pair occurs."""
    return [v for k in range(len(values)) for v in values[k:] + values[:k]]


def rows(id, ptx, entry, n, grid, block, count, kind, inputs, name="out", tolerance=None):
    """A kernel that writes `count` rows of n results."""
    return case(id, ptx, entry, grid, block, [*inputs, out(name, kind, count * n, tolerance), s32("n", n)])


def any_float(n, special=()):
    """The special values, then numbers of all magnitudes: random bits, NaNs and infinities made finite."""
    def draw(s):
        values = list(special)
        while len(values) < n:
            word = s.word() >> 32
            exponent = word >> 23 & 255
            if exponent != 255:
                values.append(math.ldexp((word & 0x7FFFFF | (exponent > 0) << 23) * (-1 if word >> 31 else 1), max(exponent, 1) - 150))
        return values[:n]

    return draw


def near(n, scale, special=()):
    """Special values, then numbers around `scale`."""
    return lambda s: (list(special) + floats(n, -4 * scale, 4 * scale)(s))[:n]


def pair(n, special, kind="u32", width=32):
    return [buf("a", kind, mixed(n, special * len(special), width)), buf("b", kind, mixed(n, crossed(special), width))]


def float_pair(n, special):
    return [buf("a", "f32", any_float(n, special * len(special))), buf("b", "f32", any_float(n, crossed(special)))]


POSITIVE = {"rel": 1e-4, "abs": 1e-5}

CASES = [
    rows("intrinsics_bits", "intrinsics", "intrinsics_bits", 150, 3, 50, 17, "u32", pair(150, WORDS)),
    rows("intrinsics_arithmetic", "intrinsics", "intrinsics_arithmetic", 150, 2, 80, 21, "u32", pair(150, WORDS)),
    rows("intrinsics_logic", "intrinsics", "intrinsics_logic", 128, 1, 128, 11, "u32", pair(128, WORDS)),
    rows("intrinsics_short", "intrinsics", "intrinsics_short", 100, 2, 50, 15, "u32",
         [buf("a", "s16", mixed(100, HALVES * 8, 16)), buf("b", "u16", mixed(100, crossed(HALVES), 16))]),
    case("intrinsics_carry", "intrinsics", "intrinsics_carry", 2, 40,
         [buf("a", "u32", mixed(160, WORDS * 10)), buf("b", "u32", mixed(160, crossed(WORDS))), out("product", "u32", 320), out("difference", "u32", 160)]),
    rows("float_rounded", "float", "float_rounded", 128, 2, 64, 20, "f32",
         [buf("a", "f32", near(128, 1.0, FINITE)), buf("b", "f32", near(128, 3.0, [1.0, 3.0, -0.1, 7.0])),
          buf("c", "f32", near(128, 0.001, [2.0**-130, 3.0]))], "exact"),
    rows("float_rounded_wild", "float", "float_rounded", 150, 3, 50, 20, "f32",
         [*float_pair(150, FINITE[:10]), buf("c", "f32", any_float(150))], "exact"),
    rows("float_approximate", "float", "float_approximate", 96, 2, 50, 12, "f32",
         [buf("a", "f32", floats(96, -3, 3)), buf("b", "f32", floats(96, 0.25, 4))], "close", POSITIVE),
    rows("float_tanh", "float", "float_tanh", 90, 1, 90, 1, "f32", [buf("in", "f32", floats(90, -4, 4))], "close", {"rel": 1e-3, "abs": 1e-3}),
    rows("float_compare", "float", "float_compare", 256, 2, 128, 13, "s32", float_pair(256, FLOATS)),
    rows("float_extremes", "float", "float_extremes", 256, 2, 128, 11, "f32", float_pair(256, FLOATS), "exact"),
    case("float_convert", "float", "float_convert", 2, 64,
         [buf("in", "f32", near(128, 100.0, FLOATS + [0.5, 1.5, 2.5, -0.5, 254.5, 255.5, 32767.5, 2147483648.0, -2147483904.0, 4294967296.0])),
          buf("whole", "s32", mixed(128, WORDS + [16777217, 16777219, -16777217, 33554435])), out("out", "s32", 8 * 128), out("exact", "f32", 12 * 128),
          s32("n", 128)]),
    rows("float_library", "float", "float_library", 90, 2, 45, 9, "f32", [buf("in", "f32", near(90, 5.0, [0.0, 1.0, -0.75, 2.0**-130, 1000.5]))], "exact"),
    case("fast_wave", "fastmath", "fast_wave", 2, 64,
         [buf("in", "f32", floats(120, -3, 3)), out("out", "f32", 120, POSITIVE), scalar("f32", "rate", 0.5), s32("n", 120)]),
    case("fast_activations", "fastmath", "fast_activations", 2, 64,
         [buf("in", "f32", floats(125, -5, 5)), out("gelu", "f32", 125, {"rel": 1e-3, "abs": 3e-3}), out("sigmoid", "f32", 125, POSITIVE), s32("n", 125)]),
    case("fast_gamma", "fastmath", "fast_gamma", 1, 40,
         [buf("in", "u8", mixed(160, [0, 255, 1, 128], 8)), out("out", "f32", 160, POSITIVE), scalar("f32", "gamma", 2.2)]),
    case("fast_cosine", "fastmath", "fast_cosine", 2, 64,
         [buf("a", "f32", floats(256, -1, 1)), buf("b", "f32", floats(256, -1, 1)), out("out", "f32", 16, POSITIVE)]),
    case("flush_arithmetic", "flush", "flush_arithmetic", 2, 90,
         [*float_pair(170, FINITE[:10] + [SMALLEST * 1.5, SMALLEST * -0.5, DENORMAL * 5]), out("exact", "f32", 1700), out("flags", "s32", 170), s32("n", 170)]),
    case("flush_moves", "flush", "flush_moves", 1, 64,
         [buf("in", "f32", near(64, 2.0**-126, FINITE)), out("out", "f32", 128)]),
    case("debug_reduce", "debug_build", "debug_reduce", 2, 64,
         [buf("in", "s32", ints(300, -999, 999)), out("sums", "s32", 4), out("bits", "u32", 4), s32("n", 300)]),
    case("debug_shared", "debug_build", "debug_shared", 3, 40, [buf("in", "f32", floats(111, -9, 9)), out("out", "f32", 111), s32("n", 111)]),
    *(case("bit_" + entry, "bitfields", entry, 2, 64, [buf("in", "u32", ints(100, 0, 2**32 - 1)), out("out", kind, 100), s32("n", 100)])
      for entry, kind in (("field_sums", "s32"), ("field_words", "u32"), ("field_calls", "u32"), ("field_wide", "u64"))),
]
