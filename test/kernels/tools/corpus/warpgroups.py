"""wgmma: products of warpgroups, whose sums are exact in any order."""

from .inputs import buf, case, ints, out, scalar, tensor_map, whole_floats
from .tensor import rounded, sides

# Sums that saturate at both ends, and ordinary ones.
near_ends = lambda s: [(0x7FFFFFFF - s.below(1 << 18), -0x80000000 + s.below(1 << 18), s.below(1 << 20))[s.below(3)] for _ in range(64 * 48)]

# The indexes of two of four elements, in ascending order.
pairs = lambda s: [sum((4, 8, 9, 12, 13, 14)[s.below(6)] << 4 * i for i in range(8)) for _ in range(256)]

CASES = [
    case("warpgroup_gemm", "warpgroup", "warpgroup_gemm", (2, 1), 128,
         [buf("a", "f16", whole_floats(64 * 128, -9, 9)), buf("b", "f16", whole_floats(128 * 64, -9, 9)), out("c", "f32", 64 * 64), *sides(64, 128)]),
    case("warpgroup_bytes", "warpgroup", "warpgroup_bytes", (2, 1), 128,
         [buf("a", "s8", ints(64 * 64, -128, 127)), buf("b", "u8", ints(48 * 64, 0, 255)), buf("c", "s32", near_ends), *sides(48, 64)]),
    case("warpgroup_signs", "warpgroup", "warpgroup_signs", (1, 1), 256,
         [buf("a", "f32", rounded(128 * 8)), buf("b", "f32", rounded(8 * 8)), out("d", "f32", 128 * 8), out("e", "f32", 128 * 8)]),
    case("warpgroup_sparse", "warpgroup", "warpgroup_sparse", 2, 128,
         [buf("a", "s8", ints(256 * 16, -128, 127)), buf("metadata", "u32", pairs), buf("b", "s8", ints(2 * 24 * 64, -128, 127)), out("d", "s32", 256 * 12)]),
    case("warpgroup_pipeline", "pipeline", "pipeline_gemm", (1, 2), 384,
         [tensor_map("a", 6, "f16", [88, 150], [32, 128], swizzle="64B"), tensor_map("b", 7, "f16", [88, 42], [32, 64], swizzle="64B"), out("c", "f32", 150 * 42), scalar("s32", "m", 150), *sides(42, 88),
          {**buf("a_memory", "f16", whole_floats(150 * 88, -9, 9)), "kind": "memory"}, {**buf("b_memory", "f16", whole_floats(42 * 88, -9, 9)), "kind": "memory"}]),
]
