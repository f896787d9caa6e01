"""Reductions, scans, sorts, compaction, histograms, transposes, network rows, matrices, stencils."""

from .inputs import (APPROXIMATE, bits, buf, case, floats, ints, listed, out, scalar, sorted_ints,
                     struct_param, text, whole_floats)


def s32(name, value):
    return scalar("s32", name, value)


def reduce_block_sum(id, n, grid, block):
    return case(id, "reduce", "reduce_block_sum", grid, block,
                [buf("in", "s32", ints(n, -100000, 100000)), out("out", "s32", grid), s32("n", n)])


def grid_stride(id, n, grid, block):
    return case(id, "reduce", "reduce_grid_stride", grid, block,
                [buf("in", "u32", bits(n)), out("sumAndXor", "u32", 2), s32("n", n)])


def scan_warp(id, n, grid, block):
    return case(id, "scan", "scan_warp", grid, block,
                [buf("in", "u32", bits(n)), out("inclusive", "u32", n), out("exclusive", "u32", n), s32("n", n)])


def scan_block(id, n, grid, block):
    return case(id, "scan", "scan_block_exclusive", grid, block,
                [buf("in", "s32", ints(n, -500, 1000)), out("out", "s32", n), out("totals", "s32", grid), s32("n", n)])


def segmented(id, n, grid, block, rate):
    return case(id, "scan", "scan_segmented", grid, block,
                [buf("in", "s32", ints(n, -9, 99)), buf("head", "u8", lambda s: [int(s.below(rate) == 0) for _ in range(n)]),
                 out("out", "s32", n), s32("n", n)])


def bitonic_block(id, n, block, low, high):
    # A bitonic sort may return equal keys in any order, but always in the same one, because the
    # network is fixed.
    return case(id, "sort", "sort_bitonic_block", 1, block,
                [buf("keys", "s32", ints(n, low, high)), buf("values", "s32", listed(range(n))),
                 out("keysOut", "s32", n), out("valuesOut", "s32", n), s32("n", n)])


def compact(id, n, block, k):
    return case(id, "compact", "compact_block", 1, block,
                [buf("in", "s32", ints(n, -10000, 10000)), out("out", "s32", n), out("count", "s32", 1), s32("n", n), s32("k", k)])


def aggregate(id, n, grid, block, distinct):
    keys = lambda s: [((s.below(distinct) * 37 % 16) << 40) | s.below(2) for _ in range(n)]
    return case(id, "histogram", "aggregate_by_key", grid, block,
                [buf("keys", "u64", keys), buf("values", "s32", ints(n, -1000, 1000)), out("sums", "s32", 16), s32("n", n)])


def softmax(id, rows, columns, grid, block):
    return case(id, "neural", "softmax_rows", grid, block,
                [buf("in", "f32", floats(rows * columns, -6, 6)), out("out", "f32", rows * columns, APPROXIMATE),
                 s32("rows", rows), s32("columns", columns)])


def layer_norm(id, rows, columns, block):
    return case(id, "neural", "layer_norm", rows, block,
                [buf("in", "f32", floats(rows * columns, -2, 3)), buf("gain", "f32", floats(columns, 0.5, 1.5)),
                 buf("bias", "f32", floats(columns, -1, 1)), out("out", "f32", rows * columns, {"rel": 1e-5, "abs": 1e-5}),
                 s32("columns", columns), scalar("f32", "epsilon", 0.0009765625)])


def gemm(id, entry, m, n, k, tile):
    grid = ((n + tile - 1) // tile, (m + tile - 1) // tile)
    return case(id, "gemm", entry, grid, (tile, tile),
                [buf("a", "f32", floats(m * k, -1, 1)), buf("b", "f32", floats(k * n, -1, 1)), out("c", "f32", m * n),
                 s32("m", m), s32("n", n), s32("k", k)])


def transpose(id, width, height):
    return case(id, "transpose", "transpose_tiled", ((width + 15) // 16, (height + 15) // 16), (16, 16),
                [buf("in", "f32", floats(width * height, -1, 1)), out("out", "f32", width * height),
                 s32("width", width), s32("height", height)])


def stencil_1d(id, n, grid, block):
    return case(id, "stencil", "stencil_1d", grid, block, [buf("in", "s32", ints(n, -1000, 1000)), out("out", "s32", n), s32("n", n)])


def life(id, width, height, block):
    grid = ((width + block[0] - 1) // block[0], (height + block[1] - 1) // block[1])
    return case(id, "stencil", "stencil_life", grid, block,
                [buf("in", "u8", lambda s: [int(s.below(3) == 0) for _ in range(width * height)]), out("out", "u8", width * height),
                 s32("width", width), s32("height", height)])


def heat(id, size, block):
    n = size[0] * size[1] * size[2]
    grid = tuple((s + b - 1) // b for s, b in zip(size, block))
    return case(id, "stencil", "stencil_3d", grid, block,
                [buf("in", "f32", floats(n, 0, 100)), out("out", "f32", n), struct_param("size", "3I", *size),
                 scalar("f32", "rate", 0.125)])


CASES = [
    reduce_block_sum("reduce_block_sum", 1000, 4, 256),
    reduce_block_sum("reduce_block_sum_odd", 333, 4, 100),
    grid_stride("reduce_grid_stride", 3000, 4, 128),
    grid_stride("reduce_grid_stride_short", 77, 2, 64),
    case("reduce_argmax_bfly", "reduce", "reduce_argmax_bfly", 2, 128,
         [buf("in", "f32", whole_floats(250, -20, 20)), out("best", "f32", 256), out("where", "s32", 256), s32("n", 250)]),
    case("reduce_redux", "reduce", "reduce_redux", 3, 32, [buf("in", "s32", bits(96)), out("out", "s32", 3 * 256)]),
    case("reduce_float_tree", "reduce", "reduce_float_tree", 2, 128,
         [buf("in", "f32", floats(500, -1, 1)), out("out", "f32", 2), s32("n", 500)], shared=512),
    case("reduce_float_tree_odd", "reduce", "reduce_float_tree", 3, 64,
         [buf("in", "f32", floats(259, -1000, 1000)), out("out", "f32", 3), s32("n", 259)], shared=256),
    scan_warp("scan_warp", 512, 2, 256),
    scan_warp("scan_warp_odd", 145, 2, 80),
    scan_block("scan_block_exclusive", 500, 2, 256),
    scan_block("scan_block_exclusive_odd", 283, 3, 96),
    segmented("scan_segmented", 256, 2, 128, 6),
    segmented("scan_segmented_odd", 91, 1, 96, 11),
    case("scan_running_max", "scan", "scan_running_max", 2, 64, [buf("in", "f32", floats(128, -50, 50)), out("out", "f32", 128)]),
    case("sort_bitonic_warp", "sort", "sort_bitonic_warp", 2, 128, [buf("in", "u32", bits(256)), out("out", "u32", 256)]),
    case("sort_bitonic_warp_ties", "sort", "sort_bitonic_warp", 1, 64, [buf("in", "u32", ints(64, 0, 5)), out("out", "u32", 64)]),
    bitonic_block("sort_bitonic_block", 256, 128, -1000000, 1000000),
    bitonic_block("sort_bitonic_block_odd", 64, 24, -5, 5),
    case("sort_radix_ballot", "sort", "sort_radix_ballot", 2, 64,
         [buf("in", "u32", ints(128, 0, 255)), out("out", "u32", 128), out("order", "u32", 128), s32("bits", 8)]),
    case("sort_radix_ballot_3bit", "sort", "sort_radix_ballot", 1, 32,
         [buf("in", "u32", bits(32)), out("out", "u32", 32), out("order", "u32", 32), s32("bits", 3)]),
    case("sort_by_rank", "sort", "sort_by_rank", 2, 128,
         [buf("in", "f32", floats(200, -10, 10)), out("out", "f32", 200), s32("n", 100)], shared=400),
    case("sort_by_rank_odd", "sort", "sort_by_rank", 3, 45,
         [buf("in", "f32", whole_floats(123, -8, 8)), out("out", "f32", 123), s32("n", 41)], shared=164),
    case("sort_odd_even", "sort", "sort_odd_even", 4, 32, [buf("in", "s16", bits(128, 16)), out("out", "s16", 128), out("rounds", "s32", 4)]),
    compact("compact_block", 1000, 128, 3),
    compact("compact_block_odd", 211, 64, 7),
    case("partition_bytes", "compact", "partition_bytes", 2, 128,
         [buf("in", "u8", bits(256, 8)), out("out", "u8", 256), scalar("u32", "pivot", 100)]),
    case("unique_warp", "compact", "unique_warp", 2, 128,
         [buf("in", "u32", sorted_ints(250, 0, 60)), out("out", "u32", 256), out("counts", "s32", 8), s32("n", 250)]),
    case("histogram_shared", "histogram", "histogram_shared", 3, 128,
         [buf("in", "u8", text(2000, "the quick brown fox jumps over it ")), out("bins", "u32", 256), s32("n", 2000)]),
    case("histogram_shared_odd", "histogram", "histogram_shared", 2, 50,
         [buf("in", "u8", bits(517, 8)), out("bins", "u32", 256), s32("n", 517)]),
    case("histogram_match", "histogram", "histogram_match", 4, 128,
         [buf("in", "s32", bits(512)), out("bins", "u32", 10), s32("n", 512), s32("binCount", 10)]),
    case("histogram_match_odd", "histogram", "histogram_match", 3, 72,
         [buf("in", "s32", bits(199)), out("bins", "u32", 33), s32("n", 199), s32("binCount", 33)]),
    aggregate("aggregate_by_key", 256, 2, 128, 9),
    aggregate("aggregate_by_key_odd", 113, 2, 60, 3),
    case("agree_all", "histogram", "agree_all", 2, 96,
         [buf("in", "s32", lambda s: [7] * 32 + [3] * 31 + [4] + ints(64, 0, 1)(s) + [-1] * 42),
          out("value", "s32", 170), out("agreed", "s32", 170), s32("n", 170)]),
    case("transpose_warp", "transpose", "transpose_warp", 2, 32, [buf("in", "u32", bits(2048)), out("out", "u32", 2048)]),
    transpose("transpose_tiled", 48, 32),
    transpose("transpose_tiled_odd", 37, 19),
    case("transpose_bits", "transpose", "transpose_bits", 2, 64, [buf("in", "u32", bits(128)), out("out", "u32", 128)]),
    softmax("softmax_rows", 8, 64, 2, 128),
    softmax("softmax_rows_odd", 5, 45, 3, 64),
    layer_norm("layer_norm", 6, 128, 64),
    layer_norm("layer_norm_odd", 3, 77, 96),
    case("gemv_warp", "neural", "gemv_warp", 6, (32, 4),
         [buf("a", "f32", floats(23 * 96, -1, 1)), buf("x", "f32", floats(96, -1, 1)), out("y", "f32", 23),
          s32("rows", 23), s32("columns", 96)]),
    case("dense_int8", "neural", "dense_int8", 2, 40,
         [buf("weights", "s32", bits(80 * 16)), buf("x", "s32", bits(16)), out("y", "u8", 80), s32("words", 16), s32("shift", 9)]),
    gemm("gemm_tiled8", "gemm_tiled8", 16, 24, 32, 8),
    gemm("gemm_tiled8_odd", "gemm_tiled8", 13, 9, 11, 8),
    gemm("gemm_tiled16", "gemm_tiled16", 32, 32, 32, 16),
    gemm("gemm_tiled16_odd", "gemm_tiled16", 21, 17, 33, 16),
    case("gemm_dynamic", "gemm", "gemm_dynamic", (2, 2), (16, 4),
         [buf("a", "s32", ints(1024, -99, 99)), buf("b", "s32", ints(1024, -99, 99)), out("c", "s32", 1024), s32("n", 32)], shared=2048),
    stencil_1d("stencil_1d", 512, 4, 128),
    stencil_1d("stencil_1d_odd", 203, 3, 75),
    case("stencil_shuffle", "stencil", "stencil_shuffle", 3, 128,
         [buf("in", "f32", floats(370, -4, 4)), out("out", "f32", 370), s32("n", 370)]),
    life("stencil_life", 32, 24, (16, 8)),
    life("stencil_life_odd", 29, 13, (7, 5)),
    heat("stencil_3d", (12, 10, 8), (4, 4, 4)),
    heat("stencil_3d_odd", (7, 9, 5), (5, 3, 2)),
]
