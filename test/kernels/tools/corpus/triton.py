"""Triton kernels. Launches are Triton's own: pointers, numbers, and two addresses of scratch memory that no kernel here uses."""

import pathlib
import re
from math import prod

from .inputs import APPROXIMATE, bits, buf, case, floats, ints, listed, out, scalar, tensor_map, whole_floats

FOLDER = pathlib.Path(__file__).resolve().parent.parent.parent / "triton"
CLOSE = {"f32": APPROXIMATE, "f16": {"rel": 2.0**-9, "abs": 2.0**-12}, "bf16": {"rel": 2.0**-6, "abs": 2.0**-9}}
HALVES = ("f32", "f16", "bf16")


def s32(name, value):
    return scalar("s32", name, value)


def triton(name, grid, *params, id=None):
    """The first line of the PTX has the launch parameters. The kernel's name is the entry's."""
    ptx = (FOLDER / f"{name}.ptx").read_text()
    warps, shared, scratch, maps = re.match(r"// Triton \S+, warps (\d+), shared (\d+)(?:, scratch (\d+))?(?:, maps (.+))?\n", ptx).groups()
    entry = re.search(r"\.entry (\w+)\(", ptx).group(1)
    blocks = grid if isinstance(grid, int) else prod(grid)
    first = {**out("global_scratch", "u8", int(scratch) * blocks), "expect": "any"} if scratch else scalar("u64", "global_scratch", 0)
    memories = [p for p in params if p["kind"] == "memory"]
    passed = [*(p for p in params if p["kind"] != "memory"), first, scalar("u64", "profile_scratch", 0)]
    places = {p["name"]: len(passed) + index for index, p in enumerate(memories)}
    boxes = iter((maps or "").split())
    for index, param in enumerate(passed):
        if param["kind"] == "tensormap":
            box, swizzle = next(boxes).split(":")
            passed[index] = {**param, "to": places[f"{param['name']}_memory"], "box": [int(n) for n in box.split("x")], "swizzle": swizzle}
    return case(f"triton_{id or name}", f"triton/{name}", entry, grid, 32 * int(warps), [*passed, *memories], int(shared))


def described(name, kind, rows, columns, memory):
    """The parameters of a host's tensor descriptor, and its memory: a map, sizes and strides."""
    sizes = [s32("rows", rows), s32("columns", columns), scalar("s64", "row_stride", columns), scalar("s64", "column_stride", 1)]
    return [tensor_map(name, None, kind, [columns, rows], None), *sizes, {**memory(f"{name}_memory"), "kind": "memory"}]


def near(name, kind, count):
    """An output computed with an approximate instruction."""
    return out(name, kind, count, CLOSE[kind])


def numbers(kind, n):
    return ints(n, -100, 100) if kind in ("s8", "s32") else floats(n, -4, 4)


def add(short, kind, n=500):
    return triton(f"add_{short}", 2, buf("a", kind, numbers(kind, n)), buf("b", kind, numbers(kind, n)), out("out", kind, n), s32("n", n))


def layer_norm(kind, rows=3, width=100):
    return triton(f"layer_norm_{kind}", rows, buf("x", kind, floats(rows * width, -3, 5)), buf("gain", kind, floats(width, 0.5, 1.5)),
                  buf("bias", kind, floats(width, -1, 1)), near("out", kind, rows * width), near("means", "f32", rows), near("deviations", "f32", rows),
                  s32("width", width), scalar("f32", "epsilon", 1e-5))


def layer_norm_backward(rows=5, width=100):
    def values(name, n, low, high):
        return buf(name, "f32", floats(n, low, high))

    return triton("layer_norm_backward", 2, values("dy", rows * width, -1, 1), values("x", rows * width, -3, 5), values("gain", width, 0.5, 1.5),
                  values("means", rows, -1, 1), values("deviations", rows, 0.5, 2), near("dx", "f32", rows * width), near("dgain", "f32", width),
                  near("dbias", "f32", width), s32("rows", rows), s32("width", width))


def transpose(short, kind, rows=50, columns=37):
    return triton(f"transpose_{short}", (2, 2), buf("x", kind, numbers(kind, rows * columns)), out("out", kind, rows * columns), s32("rows", rows), s32("columns", columns))


def quantize(n=400):
    """The largest element of each block is 127/16, so no element is near the middle between two bytes."""

    def draw(s):
        values = [v / 16 for v in ints(n, -126, 126)(s)]
        return [127 / 16 if i % 256 == 5 else v for i, v in enumerate(values)]

    return triton("quantize", 2, buf("x", "f16", draw), out("out", "s8", n), near("scales", "f32", 2), s32("n", n))


def atomics(n=200, places=10):
    def sums(name, kind="s32"):
        return out(name, kind, places)

    return triton("atomics", 2, buf("x", "s32", ints(n, -500, 500)), buf("at", "s32", ints(n, 0, places - 1)), sums("sums"), sums("floats", "f32"),
                  sums("least"), sums("most"), sums("bits"), out("swapped", "s32", n), s32("n", n))


def tokens(kind, name, count, words):
    return buf(name, kind, ints(count, 0, words - 1))


def whole(kind, n, limit=3):
    """Small integers, so every sum of products is exact in any order."""
    return ints(n, -limit, limit) if kind == "s8" else whole_floats(n, -limit, limit)


def e4m3(n):
    """Integers from -4 to 4, as 8-bit floats."""
    return lambda s: [(0x80 if v < 0 else 0) | (0x00, 0x38, 0x40, 0x44, 0x48)[abs(v)] for v in ints(n, -4, 4)(s)]


def matmul(name, grid, kind, sums, m, n, k):
    def draw(count):
        return e4m3(count) if kind == "u8" else whole(kind, count)

    return triton(name, grid, buf("a", kind, draw(m * k)), buf("b", kind, draw(k * n)), out("c", sums, m * n), s32("m", m), s32("n", n), s32("k", k))


def matmul_described(name, grid, m, n, k, c):
    a = described("a", "f16", m, k, lambda name: buf(name, "f16", whole("f16", m * k)))
    b = described("b", "f16", k, n, lambda name: buf(name, "f16", whole("f16", k * n)))
    return triton(name, grid, *a, *b, *c, s32("k", k))


def attention(kind, grid, heads, length, width):
    n = heads * length * width
    return triton(f"attention_{kind}", grid, *(buf(name, kind, floats(n, -2, 2)) for name in "qkv"), near("out", kind, n), near("sums", "f32", heads * length),
                  s32("length", length), scalar("f32", "scale", width**-0.5))


def attention_backward(length=32, width=32):
    """The logarithms of sums are near typical values for such scores."""
    n = length * width
    rough = {"rel": 2.0**-8, "abs": 2.0**-8}
    return triton("attention_backward", 2, *(buf(name, "f16", floats(n, -1, 1)) for name in ("q", "k", "v", "gradient")), buf("sums", "f32", floats(length, 5, 6)),
                  buf("deltas", "f32", floats(length, -1, 1)), *(out(name, "f32", n, rough) for name in ("dq", "dk", "dv")), s32("length", length), scalar("f32", "scale", width**-0.5))


CASES = [
    *(add(short, kind) for short, kind in (("f32", "f32"), ("f16", "f16"), ("bf16", "bf16"), ("f64", "f64"), ("i8", "s8"))),
    *(triton(f"gelu_{kind}", 2, buf("x", kind, floats(300, -4, 4)), near("out", kind, 300), s32("n", 300)) for kind in HALVES),
    triton("gelu_tanh", 2, buf("x", "f32", floats(200, -4, 4)), near("out", "f32", 200), s32("n", 200)),
    *(triton(name, 2, buf("x", kind, floats(n, -2, 2)), near("out", kind, n), out("kept", "s8", n), s32("n", n), scalar("f32", "p", p), s32("seed", seed))
      for name, kind, n, p, seed in (("dropout", "f32", 400, 0.25, 1234), ("dropout_bf16", "bf16", 700, 0.5, -7))),
    triton("random", 2, out("words", "u32", 4 * 200), out("numbers", "f32", 200), near("normal", "f32", 200), s32("n", 200), s32("seed", 20260)),
    triton("silu_product", 2, buf("gate", "bf16", floats(400, -4, 4)), buf("up", "bf16", floats(400, -4, 4)), near("out", "bf16", 400), s32("n", 400)),
    quantize(),
    triton("adam", 2, buf("parameter", "f32", floats(150, -1, 1), APPROXIMATE), buf("gradient", "f32", floats(150, -1, 1)),
           buf("mean", "f32", floats(150, -1, 1)), buf("square", "f32", floats(150, 0, 1)), s32("n", 150), scalar("f32", "rate", 0.01)),
    triton("rotary", 4, buf("x", "f16", floats(4 * 40, -2, 2)), out("out", "f16", 4 * 40), buf("cosines", "f32", floats(80, -1, 1)), buf("sines", "f32", floats(80, -1, 1)), s32("half", 20)),
    *(triton(f"softmax_{kind}", 3, buf("x", kind, floats(3 * 200, -8, 8)), near("out", kind, 3 * 200), s32("width", 200)) for kind in HALVES),
    triton("softmax_online", 3, buf("x", "f32", floats(3 * 150, -8, 8)), near("out", "f32", 3 * 150), s32("width", 150)),
    *(layer_norm(kind) for kind in HALVES),
    layer_norm_backward(),
    *(triton(f"rms_norm_{kind}", 3, buf("x", kind, floats(300, -3, 3)), buf("gain", kind, floats(100, 0.5, 1.5)), near("out", kind, 300), s32("width", 100), scalar("f32", "epsilon", 1e-6))
      for kind in HALVES),
    *(triton(f"argmax_{kind}", 2, buf("x", kind, whole_floats(rows * width, -20, 20)), out("places", "s32", rows), out("values", kind, rows), out("low", "s32", rows), s32("rows", rows), s32("width", width))
      for kind, rows, width in (("f32", 7, 50), ("f16", 3, 100))),
    triton("cross_entropy", 4, buf("logits", "f32", floats(4 * 90, -6, 6)), tokens("s64", "targets", 4, 90), near("losses", "f32", 4), near("gradient", "f32", 4 * 90),
           s32("width", 90), scalar("f32", "smoothing", 0.1)),
    triton("embedding", 2, buf("table", "bf16", floats(20 * 50, -1, 1)), tokens("s64", "tokens", 13, 20), out("out", "bf16", 13 * 50), s32("count", 13), s32("width", 50)),
    triton("embedding_backward", 8, buf("gradient", "f32", whole_floats(8 * 50, -9, 9)), tokens("s32", "tokens", 8, 5), out("table", "f32", 5 * 50), s32("count", 8), s32("width", 50)),
    *(transpose(short, kind) for short, kind in (("f32", "f32"), ("i8", "s8"))),
    triton("column_sums", 2, buf("x", "f16", floats(37 * 50, -2, 2)), out("out", "f32", 50), s32("rows", 37), s32("columns", 50)),
    triton("variance", 3, buf("x", "f32", floats(3 * 200, -3, 5)), near("means", "f32", 3), near("variances", "f32", 3), s32("width", 200)),
    *(triton(f"sort_{kind}", 3, buf("x", kind, floats(3 * width, -9, 9)), out("out", kind, 3 * width), s32("width", width)) for kind, width in (("f32", 100), ("f16", 57))),
    triton("sort_keys", 2, buf("x", "u32", lambda s: [w % 40 << 27 for w in bits(128)(s)]), out("out", "u64", 128)),
    triton("top_k", 3, buf("x", "f32", floats(3 * 50, -9, 9)), out("out", "f32", 3 * 8), s32("width", 50)),
    *(triton(f"cumsum_{short}", 2, buf("x", kind, draw(2 * width)), out("out", kind, 2 * width), s32("width", width))
      for short, kind, width, draw in (("f32", "f32", 400, lambda n: floats(n, -1, 1)), ("f16", "f16", 200, lambda n: floats(n, -1, 1)), ("i64", "s64", 250, lambda n: bits(n, 62)))),
    triton("cumprod", 2, buf("x", "s32", ints(20 * 30, -9, 9)), out("out", "s32", 20 * 30), s32("rows", 20), s32("columns", 30)),
    triton("linear_scan", 2, buf("a", "f32", floats(400, -1, 1)), buf("b", "f32", floats(400, -1, 1)), out("out", "f32", 400), s32("length", 200)),
    triton("running_maximum", 2, buf("x", "s16", ints(300, -3000, 3000)), out("out", "s16", 300), s32("width", 150)),
    triton("histogram", 2, buf("x", "s32", ints(800, 0, 63)), out("bins", "s32", 64), s32("n", 800)),
    atomics(),
    *(triton(f"halves_add_{kind}", 2, buf("x", kind, whole_floats(200, -9, 9)), buf("at", "s32", ints(200, 0, 14)), out("sums", kind, 15), s32("n", 200)) for kind in ("f16", "bf16")),
    triton("last_block", 5, buf("x", "s32", ints(600, -900, 900)), out("partial", "s32", 5), out("ticket", "s32", 1), out("out", "s32", 1), s32("n", 600)),
    triton("locked_sum", 4, buf("x", "s32", ints(500, -900, 900)), out("lock", "s32", 1), out("total", "s32", 1), s32("n", 500)),
    triton("shapes", 2, buf("x", "s32", listed(range(512))), out("out", "s32", 2048)),
    *(matmul(f"matmul_{short}", 2, kind, sums, 40, 21, 50) for short, kind, sums in (("f16", "f16", "f32"), ("bf16", "bf16", "f32"), ("tf32", "f32", "f32"), ("i8", "s8", "s32"), ("f8", "u8", "f32"))),
    *(matmul(f"matmul_{short}_pipelined", (1, 2), kind, sums, 32, 64, 96) for short, kind, sums in (("f16", "f16", "f16"), ("bf16", "bf16", "f32"), ("tf32", "f32", "f32"), ("i8", "s8", "s32"))),
    matmul("matmul_f32", (1, 2), "f32", "f32", 16, 32, 64),
    triton("linear_gelu", 2, buf("x", "bf16", floats(20 * 64, -2, 2)), buf("weights", "bf16", floats(64 * 64, -0.5, 0.5)), buf("bias", "bf16", floats(64, -1, 1)), near("out", "bf16", 20 * 64),
           s32("rows", 20), s32("width", 64)),
    triton("grouped", (2, 3), buf("a", "f16", whole("f16", 25 * 32)), buf("b", "f16", whole("f16", 3 * 32 * 16)), out("c", "f32", 25 * 16), buf("starts", "s32", listed([0, 5, 5, 25])),
           s32("n", 16), s32("k", 32)),
    triton("split_k", (2, 2), buf("a", "f16", whole("f16", 16 * 64)), buf("b", "f16", whole("f16", 64 * 32)), out("c", "f32", 16 * 32), s32("n", 32), s32("k", 64)),
    attention("f16", (2, 2), 2, 48, 32),
    attention("bf16", 2, 1, 40, 16),
    triton("attention_delta", 2, buf("out", "f16", floats(50 * 32, -1, 1)), buf("gradient", "f16", floats(50 * 32, -1, 1)), out("deltas", "f32", 50), s32("length", 50)),
    attention_backward(),
    *(matmul(f"wgmma_{short}", grid, kind, sums, m, n, k)
      for short, grid, kind, sums, m, n, k in (("f16", 2, "f16", "f16", 100, 40, 80), ("bf16", (1, 2), "bf16", "f32", 100, 72, 48), ("tf32", 1, "f32", "f32", 50, 40, 32),
                                               ("e4m3", 1, "u8", "f32", 100, 40, 160), ("e5m2", 1, "u8", "f32", 60, 33, 128), ("i8", 2, "s8", "s32", 90, 50, 160))),
    matmul_described("wgmma_described", 2, 100, 40, 72, described("c", "f16", 100, 40, lambda name: out(name, "f16", 100 * 40))),
    triton("wgmma_persistent", 2, buf("a", "f16", whole("f16", 100 * 64)), buf("b", "f16", whole("f16", 80 * 64)), out("c", "f16", 100 * 80), s32("m", 100), s32("n", 80), s32("k", 64)),
    matmul_described("wgmma_specialized", 1, 50, 56, 96, described("c", "f16", 50, 56, lambda name: out(name, "f16", 50 * 56))),
    triton("wgmma_partitioned", 1, buf("a", "f16", whole("f16", 100 * 96)), buf("b", "f16", whole("f16", 96 * 48)), out("c", "f16", 100 * 48), s32("m", 100), s32("n", 48), s32("k", 96)),
    *(triton(f"wgmma_attention_{kind}", grid, *(buf(name, kind, floats(length * width, -2, 2)) for name in "qkv"), near("out", kind, length * width), s32("length", length), scalar("f32", "scale", width**-0.5))
      for kind, grid, length, width in (("f16", 2, 100, 64), ("bf16", 1, 80, 32))),
    transpose("f16", "f16"),
]
