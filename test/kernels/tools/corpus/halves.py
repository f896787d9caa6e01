"""f16 and bf16: every operation exact to the bit, and rows of a network. Values are bits, as u16 or as pairs in u32."""

import struct

from .inputs import buf, case, floats, mixed, out, scalar
from .numbers import FLOATS, WORDS, any_float, crossed, s32

F16 = [0x0000, 0x8000, 0x0001, 0x8001, 0x03FF, 0x0400, 0x8400, 0x3BFF, 0x3C00, 0xBC00, 0x3C01, 0x4248, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00, 0x7E00, 0xFE12]
BF16 = [0x0000, 0x8000, 0x0001, 0x8001, 0x007F, 0x0080, 0x8080, 0x3F7F, 0x3F80, 0xBF80, 0x3F81, 0x4049, 0x7F7F, 0xFF7F, 0x7F80, 0xFF80, 0x7FC0, 0xFFC1]
TO_HALF = FLOATS + [65504.0, 65519.9, 65520.0, -65536.0, 2.0**-14, 2.0**-14 - 2.0**-26, 2.0**-24, 2.0**-25, -(2.0**-25) * 1.5, 1 + 2.0**-11, 1 + 3 * 2.0**-11, 1 + 2.0**-8, 1 + 3 * 2.0**-8]
F16_CLOSE = {"rel": 2.0**-9, "abs": 2.0**-12}
BF16_CLOSE = {"rel": 2.0**-6, "abs": 2.0**-9}


def f16(value):
    return struct.unpack("<H", struct.pack("<e", value))[0]


def bf16(value):
    return struct.unpack("<I", struct.pack("<f", value))[0] >> 16


def halves(n, encode, low, high):
    """n rounded numbers in [low, high)."""
    return lambda s: [encode(v) for v in floats(n, low, high)(s)]


def pairs(n, generate):
    """n words of two halves."""

    def draw(s):
        values = generate(s)
        return [low | high << 16 for low, high in zip(values[0 : 2 * n : 2], values[1 : 2 * n : 2])]

    return draw


def operands(kind, n, special):
    """Every pair of special values, then random bits; a third value of random bits."""
    a, b, c = mixed(n, sorted(special * len(special)), 16), mixed(n, special * len(special), 16), mixed(n, special, 16)
    if kind == "u16":
        return [buf("a", kind, a), buf("b", kind, b), buf("c", kind, c)]
    rotated = mixed(2 * n, [v for pair in zip(special * len(special), crossed(special)) for v in pair], 16)
    other = mixed(2 * n, [v for pair in zip(crossed(special), sorted(special * len(special))) for v in pair], 16)
    return [buf("a", kind, pairs(n, rotated)), buf("b", kind, pairs(n, other)), buf("c", kind, pairs(n, mixed(2 * n, special, 16)))]


def each(id, ptx, n, count, kind, special):
    return case(id, ptx, id, (n + 63) // 64, 64, [*operands(kind, n, special), out("out", kind, count * n), s32("n", n)])


def rows(id, ptx, entry, encode, count, width, grid, block, output):
    return case(id, ptx, entry, grid, block,
                [buf("a", "u32", pairs(count * width, halves(2 * count * width, encode, -2, 2))), *output(width), s32("rows", count), s32("pairs", width)])


def dot(id, ptx, entry, encode, count, width, grid, block):
    return rows(id, ptx, entry, encode, count, width, grid, block,
                lambda n: [buf("b", "u32", pairs(n, halves(2 * n, encode, -1, 1))), out("out", "u16", count)])


def softmax(id, count, width, grid, block):
    return rows(id, "half", "half_softmax", f16, count, width, grid, block, lambda n: [out("out", "f32", 2 * count * n, F16_CLOSE)])


def layer_norm(id, count, width, block):
    def words(n, low, high):
        return pairs(n, halves(2 * n, f16, low, high))

    return case(id, "half", "half_layer_norm", count, block,
                [buf("in", "u32", words(count * width, -3, 5)), buf("gain", "u32", words(width, 0.5, 1.5)), buf("bias", "u32", words(width, -1, 1)),
                 out("out", "f32", 2 * count * width, {"rel": 2.0**-7, "abs": 2.0**-7}), s32("pairs", width), scalar("f32", "epsilon", 1e-5)])


def conversions(id, ptx, count, n=128):
    return case(id, ptx, id, 2, 64, [buf("in", "f32", any_float(n, TO_HALF)), out("out", "u32", count * n), out("back", "f32", n), s32("n", n)])


def integers(id, ptx, special, wide, narrow, n=128):
    numbers = WORDS + [2047, 2048, 2049, 4099, -2051, 65503, 65519, 65520, -65520, 255, 257, 16777217]
    return case(id, ptx, id, 2, 64,
                [buf("in", "u16", mixed(n, special, 16)), buf("whole", "s32", mixed(n, numbers)),
                 out("out", "s64", wide * n), out("halves", "u16", narrow * n), s32("n", n)])


def approximate(id, ptx, encode, tolerance=None, n=96):
    return case(id, ptx, id, 2, 64,
                [buf("in", "u32", pairs(n, halves(2 * n, encode, -6, 6))), out("power", "f32", 2 * n, tolerance), out("tangent", "f32", 2 * n), s32("n", n)])


CASES = [
    softmax("half_softmax", 6, 40, 2, 128),
    softmax("half_softmax_odd", 3, 19, 2, 64),
    layer_norm("half_layer_norm", 4, 64, 64),
    layer_norm("half_layer_norm_odd", 3, 45, 96),
    dot("half2_dot", "half", "half2_dot", f16, 8, 96, 2, 128),
    dot("half2_dot_odd", "half", "half2_dot", f16, 3, 41, 1, 128),
    each("half_arithmetic", "half", 400, 20, "u16", F16),
    each("half2_arithmetic", "half", 400, 19, "u32", F16),
    conversions("half_from_float", "half", 11),
    integers("half_integers", "half", F16 + [0x3800, 0x3E00, 0x4100, 0xB800, 0xC100, 0x5BFF, 0x5C00, 0x77FF, 0x7800, 0xD800], 11, 13),
    approximate("half_approximate", "half", f16, F16_CLOSE),
    case("bf16_gelu", "bfloat", "bf16_gelu", 2, 64,
         [buf("in", "u32", pairs(100, halves(200, bf16, -4, 4))), out("out", "f32", 200, BF16_CLOSE), s32("n", 100)]),
    dot("bf162_dot", "bfloat", "bf162_dot", bf16, 8, 96, 2, 128),
    each("bf16_arithmetic", "bfloat", 400, 12, "u16", BF16),
    each("bf162_arithmetic", "bfloat", 400, 12, "u32", BF16),
    conversions("bf16_from_float", "bfloat", 10),
    integers("bf16_integers", "bfloat", BF16 + [0x3F00, 0x3FC0, 0x4020, 0xBF00, 0xC020, 0x4EFF, 0x4F00, 0x4F80, 0x5F00, 0xDF00], 7, 10),
    approximate("bf16_approximate", "bfloat", bf16),
]
