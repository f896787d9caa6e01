"""nvcuda::wmma: products whose sums are exact, and f64, which is added in order."""

from .inputs import bits, buf, case, floats, ints, out, scalar, whole_floats


def s32(name, value):
    return scalar("s32", name, value)


def gemm(id, m, n, k):
    return case(id, "wmma", "wmma_gemm", ((n + 31) // 32, (m + 31) // 32), 128,
                [buf("a", "f16", whole_floats(m * k, -9, 9)), buf("b", "f16", whole_floats(k * n, -9, 9)), out("c", "f32", m * n),
                 s32("m", m), s32("n", n), s32("k", k)])


def three(id, factors, sums, draw, k, start):
    """One warp per shape, with the same matrices for all of them."""
    return case(id, "wmma", id, 1, 96, [buf("a", factors, draw(32 * k)), buf("b", factors, draw(32 * k)), buf("c", sums, start), out("d", sums, 3 * 256), s32("k", k)])


def whole(n):
    return whole_floats(n, -4, 4)


def rounded(n):
    """Integers with slightly more bits than tf32 has."""
    return lambda s: [v + v * 2.0**-18 for v in whole_floats(n, -90, 90)(s)]


CASES = [
    gemm("wmma_gemm", 64, 32, 48),
    gemm("wmma_gemm_odd", 45, 39, 27),
    three("wmma_half_sums", "f16", "f16", whole, 48, whole_floats(256, -99, 99)),
    three("wmma_float_sums", "f16", "f32", whole, 48, whole_floats(256, -9999, 9999)),
    three("wmma_bfloat", "bf16", "f32", whole, 32, whole_floats(256, -9999, 9999)),
    three("wmma_bytes", "s8", "s32", lambda n: ints(n, -128, 127), 48, ints(256, -99999, 99999)),
    three("wmma_unsigned_bytes", "u8", "s32", lambda n: ints(n, 0, 255), 48, ints(256, -2999999, 99999)),
    case("wmma_tf32", "wmma", "wmma_tf32", 1, 32, [buf("a", "f32", rounded(16 * 24)), buf("b", "f32", rounded(16 * 24)), buf("c", "f32", whole_floats(256, -999, 999)), out("d", "f32", 256), s32("k", 24)]),
    case("wmma_double", "wmma", "wmma_double", 1, 64, [buf("a", "f64", floats(8 * 12, -2, 2)), buf("b", "f64", floats(8 * 12, -2, 2)), buf("c", "f64", floats(64, -2, 2)), out("d", "f64", 128), s32("k", 12)]),
    case("wmma_row_maxima", "fragments", "wmma_row_maxima", 1, 32, [buf("a", "s8", ints(256, -128, 127)), buf("b", "s8", ints(256, -128, 127)), out("below", "s32", 256), out("at", "s32", 16)]),
    case("wmma_small", "wmma", "wmma_small", 1, 32, [buf("a", "u32", bits(64)), buf("b", "u32", bits(64)), buf("c", "s32", lambda s: [(2**31 - 1 - 20000 if s.below(2) else -(2**31) + 20000) + s.below(20000) for _ in range(256)]), out("d", "s32", 512)]),
]
