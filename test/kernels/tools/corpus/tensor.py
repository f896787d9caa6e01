"""mma.sync, ldmatrix, stmatrix, movmatrix: products whose sums are exact in any order, and f64, which is added in order."""

from .inputs import bits, buf, case, floats, ints, out, scalar, whole_floats


def s32(name, value):
    return scalar("s32", name, value)


def sides(n, k):
    return [s32("n", n), s32("k", k)]


def rounded(n):
    """Integers with slightly more bits than tf32 has."""
    return lambda s: [v + v * 2.0**-18 for v in whole_floats(n, -90, 90)(s)]


CASES = [
    case("tensor_gemm_f16", "tensor", "gemm_f16", (1, 2), 128,
         [buf("a", "f16", whole_floats(64 * 64, -9, 9)), buf("b", "f16", whole_floats(64 * 32, -9, 9)), out("c", "f32", 64 * 32), *sides(32, 64)]),
    case("tensor_gemm_f16_close", "tensor", "gemm_f16", (2, 1), 128,
         [buf("a", "f16", floats(32 * 32, -2, 2)), buf("b", "f16", floats(32 * 64, -2, 2)), out("c", "f32", 32 * 64, {"rel": 2.0**-17, "abs": 2.0**-15}), *sides(64, 32)]),
    case("tensor_gemm_s8", "tensor", "gemm_s8", (1, 2), 64,
         [buf("a", "s8", ints(32 * 64, -128, 127)), buf("b", "u8", ints(16 * 64, 0, 255)), out("c", "s32", 32 * 16), *sides(16, 64)]),
    case("tensor_gemm_tf32", "tensor", "gemm_tf32", (1, 1), 64,
         [buf("a", "f32", rounded(16 * 24)), buf("b", "f32", rounded(24 * 16)), out("c", "f32", 16 * 16), *sides(16, 24)]),
    case("tensor_bits", "tensor", "compare_bits", (1, 2), 64,
         [buf("a", "u32", bits(16 * 8)), buf("b", "u32", bits(16 * 8)), out("common", "s32", 16 * 16), out("different", "s32", 16 * 16), *sides(16, 8)]),
    case("tensor_distances", "tensor", "distances", (1, 2), 64,
         [buf("x", "f64", floats(16 * 4, -2, 2)), buf("y", "f64", floats(16 * 4, -2, 2)), out("out", "f64", 16 * 16), s32("n", 16)]),
    case("tensor_transpose", "tensor", "transpose_tiles", 2, 32, [buf("in", "u32", bits(256)), out("once", "u32", 256), out("twice", "u32", 256)]),
    case("tensor_weigh_bf16", "tensor", "weigh_bf16", 1, 96,
         [buf("a", "bf16", whole_floats(32 * 16, -9, 9)), buf("b", "bf16", whole_floats(8 * 16, -9, 9)), out("out", "f32", 48 * 8), s32("rows", 32)]),
]
