"""Cooperative groups and CUB."""

from .inputs import bits, buf, case, floats, ints, listed, out, scalar, sorted_ints, text


def s32(name, value):
    return scalar("s32", name, value)


def shuffled(n):
    """A permutation of 0..n-1."""
    def draw(s):
        order = list(range(n))
        for i in range(n - 1, 0, -1):
            j = s.below(i + 1)
            order[i], order[j] = order[j], order[i]
        return order

    return draw


def heads(n, rate):
    return lambda s: [int(s.below(rate) == 0) for _ in range(n)]


def coalesced(id, n, grid, block, low, high):
    return case(id, "cooperative", "cg_coalesced_count", grid, block,
                [buf("in", "s32", ints(n, low, high)), buf("counters", "s32", listed([0, 0, 0, -(2**31)])), s32("n", n)])


def cg_block_sum(id, n, grid, block):
    return case(id, "cooperative", "cg_block_sum", grid, block, [buf("in", "u32", bits(n)), out("out", "u32", grid), s32("n", n)])


def block_scan(id, n):
    return case(id, "cub_block", "cub_block_scan", 1, 64, [buf("in", "s32", ints(n, -100, 300)), out("out", "s32", n), s32("n", n)])


def radix(id, keys, blocks):
    n = blocks * 256
    return case(id, "cub_block", "cub_radix_sort", blocks, 64,
                [buf("keys", "u32", keys(n)), buf("values", "s32", listed(range(n))), out("keysOut", "u32", n), out("valuesOut", "s32", n)])


CASES = [
    case("cg_tile_sums", "cooperative", "cg_tile_sums", 2, 64, [buf("in", "s32", ints(128, -999, 999)), out("out", "s32", 512), s32("n", 128)]),
    case("cg_tile_sums_warp", "cooperative", "cg_tile_sums", 3, 32, [buf("in", "s32", ints(96, -999, 999)), out("out", "s32", 384), s32("n", 96)]),
    case("cg_tile_collectives", "cooperative", "cg_tile_collectives", 2, 64, [buf("in", "s32", ints(128, -10, 10)), out("out", "s32", 7 * 128), s32("n", 128)]),
    case("cg_tile_collectives_odd", "cooperative", "cg_tile_collectives", 2, 40, [buf("in", "s32", ints(80, -3, 12)), out("out", "s32", 7 * 80), s32("n", 80)]),
    case("cg_reduce_operators", "cooperative", "cg_reduce_operators", 2, 64, [buf("in", "s32", bits(128)), out("out", "s32", 128), out("wide", "u64", 128)]),
    case("cg_scans", "cooperative", "cg_scans", 2, 64,
         [buf("in", "s32", ints(128, -50, 100)), out("sums", "s32", 128), out("before", "s32", 128), out("highest", "s32", 128)]),
    coalesced("cg_coalesced_count", 250, 2, 128, 0, 1000),
    coalesced("cg_coalesced_count_odd", 95, 3, 33, -20, 20),
    case("cg_partitions", "cooperative", "cg_partitions", 2, 64, [buf("in", "s32", ints(128, 0, 60)), out("parity", "s32", 128), out("labels", "s32", 128)]),
    cg_block_sum("cg_block_sum", 2000, 3, 128),
    cg_block_sum("cg_block_sum_short", 29, 2, 64),
    case("cub_warp_reduce", "cub_warp", "cub_warp_reduce", 2, 128, [buf("in", "s32", ints(256, -5000, 5000)), out("out", "s32", 40), s32("valid", 32)]),
    case("cub_warp_reduce_partial", "cub_warp", "cub_warp_reduce", 1, 96, [buf("in", "s32", ints(96, -5, 5)), out("out", "s32", 15), s32("valid", 13)]),
    case("cub_warp_segmented", "cub_warp", "cub_warp_segmented", 2, 128,
         [buf("in", "s32", ints(256, -99, 99)), buf("head", "u8", heads(256, 5)), out("out", "s32", 256)]),
    case("cub_warp_scan", "cub_warp", "cub_warp_scan", 2, 128,
         [buf("in", "s32", ints(256, -500, 500)), out("inclusive", "s32", 256), out("exclusive", "s32", 256), out("totals", "s32", 256), out("sent", "f32", 256)]),
    case("cub_warp_merge_sort", "cub_warp", "cub_warp_merge_sort", 2, 64,
         [buf("keys", "s32", ints(512, -99, 99)), buf("values", "s32", listed(range(512))), out("keysOut", "s32", 512), out("valuesOut", "s32", 512)]),
    case("cub_warp_exchange", "cub_warp", "cub_warp_exchange", 2, 64, [buf("in", "u32", bits(384)), out("out", "u32", 384)]),
    case("cub_block_reduce", "cub_block", "cub_block_reduce", 3, 96, [buf("in", "s32", ints(288, -9999, 9999)), out("out", "s32", 9), s32("n", 288)]),
    case("cub_block_reduce_partial", "cub_block", "cub_block_reduce", 2, 96, [buf("in", "s32", ints(192, -9999, 9999)), out("out", "s32", 6), s32("n", 137)]),
    block_scan("cub_block_scan", 512),
    block_scan("cub_block_scan_odd", 331),
    case("cub_block_scan_raking", "cub_block", "cub_block_scan_raking", 2, 128, [buf("in", "s32", ints(256, -9999, 9999)), out("out", "s32", 256), out("totals", "s32", 2)]),
    radix("cub_radix_sort", bits, 1),
    radix("cub_radix_sort_ties", lambda n: ints(n, 0, 20), 2),
    case("cub_radix_sort_float", "cub_block", "cub_radix_sort_float", 1, 64, [buf("in", "f32", floats(128, -100, 100)), out("out", "f32", 128)]),
    case("cub_histogram", "cub_block", "cub_histogram", 2, 64,
         [buf("in", "u8", text(512, "some letters more often than others")), out("sorted", "u32", 128), out("counted", "u32", 128)]),
    case("cub_neighbours", "cub_block", "cub_neighbours", 2, 64,
         [buf("in", "s32", sorted_ints(384, 0, 90)), out("flags", "s32", 384), out("steps", "s32", 384), out("turned", "s32", 128)]),
    case("cub_merge_sort", "cub_block", "cub_merge_sort", 2, 64, [buf("in", "s32", ints(384, -999, 999)), out("out", "s32", 384)]),
    case("cub_exchange", "cub_block", "cub_exchange", 1, (16, 4),
         [buf("in", "s32", bits(256)), buf("rank", "s32", shuffled(256)), out("out", "s32", 256)]),
    case("cub_run_length", "cub_block", "cub_run_length", 1, 64,
         [buf("value", "u8", bits(64, 8)), buf("length", "u32", ints(64, 1, 9)), out("out", "u8", 576), out("total", "u32", 1)]),
]
