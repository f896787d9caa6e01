"""Clusters, and memory updates that signal an mbarrier or a bulk group."""

from .inputs import bits, buf, case, drawn, ints, listed, mixed, out, scalar, tensor_map, whole_floats

# Zeros, the least and largest subnormals, 1, infinities, a NaN, and nearby numbers, as bits of f16
# and bf16.
HALVES = [0, 0x8000, 1, 0x8001, 0x3FF, 0x7F, 0x83FF, 0x400, 0x3C00, 0xBC00, 0x3F80, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00, 0x7F80, 0xFF80, 0x7E00, 0x7FC0, 0x4248]
SUBNORMAL = [0, 0x80000000, 1, 0x80000001, 0x7FFFFF, 0x807FFFFF, 0x800000, 0x80800000, 0x3F800000, 0x400000, 0xFF800000, 0x7F800000, 0x7FC00001]

BULK = drawn("cluster_bulk", bits(2 * 256))
# Block 2 of each cluster of four keeps its first words.
BULK_RESULTS = [7 if block % 4 == 2 and word < 128 else BULK[block // 4 * 256 + word] for block in range(8) for word in range(256)]

BLOCKS = [
    case("cluster_reduce", "cluster_blocks", "cluster_reduce", (4, 3), 128, [buf("in", "s32", ints(3 * 1001, -999, 999)), out("out", "s32", 3), scalar("s32", "n", 1001)]),
    case("cluster_ring", "cluster_blocks", "cluster_ring", 6, 64, [buf("in", "u32", bits(6 * 64)), out("out", "u32", 6 * 64), scalar("s32", "rounds", 5)]),
    case("cluster_split", "cluster_blocks", "cluster_split", (4, 2), 64, [buf("in", "s32", ints(8 * 64, -99, 99)), out("out", "s32", 8 * 64)], cluster=[2, 2, 1]),
    case("cluster_split_odd", "cluster_blocks", "cluster_split", (3, 1, 2), 40, [buf("in", "s32", ints(6 * 40, -99, 99)), out("out", "s32", 6 * 40)], cluster=[3, 1, 1]),
    case("cluster_split_alone", "cluster_blocks", "cluster_split", 3, 96, [buf("in", "s32", ints(3 * 96, -99, 99)), out("out", "s32", 3 * 96)], cluster=[1, 1, 1]),
    case("cluster_histogram", "cluster_blocks", "cluster_histogram", 4, 96, [buf("in", "u32", bits(1000)), buf("bins", "u32", bits(80)), scalar("s32", "n", 1000)], shared=160),
    case("cluster_send", "cluster_blocks", "cluster_send", 4, 64, [buf("in", "u32", bits(256)), out("out", "u32", 256)]),
    case("cluster_aligned", "cluster_blocks", "cluster_aligned", 6, 64, [buf("in", "u32", bits(6 * 64)), out("out", "u32", 6 * 64)], shared=256),
    case("cluster_bulk", "cluster_bulk", "cluster_bulk", 8, 64, [buf("in", "u32", listed(BULK)), out("out", "u32", 8 * 256, expect=BULK_RESULTS)]),
    case("cluster_places", "cluster_blocks", "cluster_places", (4, 2), (16, 3), [out("out", "u32", 8 * 48 * 16)], cluster=[2, 2, 1]),
    case("cluster_exchange", "cluster_wide", "cluster_exchange", 8, 256, [buf("in", "u32", bits(8 * 256)), out("out", "u32", 8 * 256), scalar("s32", "rounds", 3)], cluster=[8, 1, 1]),
    case("cluster_exchange_odd", "cluster_wide", "cluster_exchange", (2, 2), (31, 20), [buf("in", "u32", bits(4 * 620)), out("out", "u32", 4 * 620), scalar("s32", "rounds", 2)], cluster=[2, 2, 1]),
    case("cluster_turns", "cluster_wide", "cluster_turns", 6, 512, [buf("in", "u32", bits(6 * 512)), out("out", "u32", 6 * 512), scalar("s32", "rounds", 4)], cluster=[3, 1, 1]),
    case("cluster_counts", "cluster_wide", "cluster_counts", 8, 1024, [buf("in", "u32", bits(20_001)), buf("bins", "u32", bits(320)), scalar("s32", "n", 20_001)], cluster=[8, 1, 1]),
    case("cluster_multicast", "cluster_blocks", "cluster_multicast", 4, 32, [tensor_map("map", 2, "u32", [40, 13], [16, 8]), out("out", "u32", 4 * 256), {**buf("tensor", "u32", bits(40 * 13)), "kind": "memory"}]),
]

CASES = [
    *BLOCKS,
    case("cluster_sum", "cluster", "cluster_sum", 3, 96, [buf("in", "s32", ints(280, -99, 99)), out("out", "s32", 280), scalar("s32", "n", 280)]),
    case("cluster_facts", "cluster", "cluster_facts", (2, 3), 32, [out("out", "u32", 6 * 32 * 16), buf("in", "u32", bits(32))]),
    case("cluster_explicit", "cluster", "cluster_explicit", 2, 32, [out("out", "u32", 2)]),
    case("cluster_phases", "cluster", "cluster_phases", 1, 128, [buf("in", "s32", ints(128, -99, 99)), out("out", "s32", 128), scalar("s32", "rounds", 4)]),
    case("async_send_and_count", "async_updates", "send_and_count", 2, 64, [buf("in", "u32", bits(128)), out("out", "u32", 2 * 64 * 8)]),
    case("async_reduce_words", "async_updates", "bulk_reduce_words", 3, 32, [buf("in", "u32", bits(3 * 64)), buf("out", "u32", bits(7 * 64))]),
    case("async_reduce_floats", "async_updates", "bulk_reduce_floats", 2, 32,
         [buf("in", "f32", whole_floats(2 * 64, -999, 999)), buf("out", "f32", whole_floats(64, -9, 9)), buf("doubles", "f64", whole_floats(2 * 64, -999, 999)), buf("sums", "f64", whole_floats(64, -9, 9))]),
    case("async_reduce_halves", "async_updates", "bulk_reduce_halves", 1, 32, [buf("in", "u16", mixed(64, HALVES, 16)), buf("out", "u16", mixed(4 * 64, HALVES[::-1], 16))]),
    case("async_reduce_subnormals", "async_updates", "bulk_reduce_floats", 1, 32,
         [buf("in", "u32", mixed(64, SUBNORMAL)), buf("out", "u32", mixed(64, SUBNORMAL[::-1])), buf("doubles", "f64", whole_floats(64, -999, 999)), buf("sums", "f64", whole_floats(64, -9, 9))]),
    case("async_reduce_shared", "async_shared", "bulk_reduce_shared", 2, 32, [buf("in", "s32", ints(2 * 64, -999, 999)), out("out", "s32", 2 * 64)]),
]
