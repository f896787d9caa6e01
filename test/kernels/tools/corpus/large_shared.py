"""Blocks with 50 to 227 KiB of shared memory."""

from .attention import CLOSE
from .inputs import buf, case, floats, ints, out, scalar, whole_floats


def large(id, entry, grid, block, shared, params, **options):
    return case(id, "large_shared", entry, grid, block, params, shared=shared, **options)


def square(id, side, blocks, threads):
    return large(id, "large_square", blocks, threads, side * side * 4, [out("out", "u32", blocks * side), scalar("s32", "side", side)])


def histogram(id, bins, n, blocks, threads):
    return large(id, "large_histogram", blocks, threads, bins * 4,
                 [out("out", "u32", blocks * threads), out("most", "u64", blocks * 16), scalar("s32", "bins", bins), scalar("s32", "n", n)])


def attention(id, n, blocks, threads):
    size = n * 32
    return large(id, "large_attention", blocks, threads, 2 * 40960 + threads // 2 * 80,
                 [buf("q", "f16", floats(size, -2, 2)), buf("k", "f16", floats(size, -2, 2)), buf("v", "f16", floats(size, -1, 1)),
                  out("out", "f16", size, CLOSE), scalar("s32", "n", n), scalar("f32", "scale", 0.25)])


CASES = [
    square("large_square", 199, 2, 256),
    square("large_square_odd", 113, 3, 90),
    histogram("large_histogram", 30011, 4000, 2, 256),
    histogram("large_histogram_odd", 57600, 1501, 1, 77),
    large("large_path", "large_path", 2, 96, 232448,
          [buf("elsewhere", "u32", ints(64, 0, 63)), out("out", "u32", 192), scalar("s32", "words", 58112), scalar("s32", "outside", 64), scalar("s32", "steps", 40)]),
    large("large_ring", "large_ring", 2, 256, 81920, [buf("in", "u32", ints(1024, 0, 0xFFFFFFFF)), out("out", "u32", 2 * 256 * 4), scalar("s32", "tiles", 9)]),
    large("large_bulk", "large_bulk", 2, 128, 131072, [buf("in", "u32", ints(1148, 0, 0xFFFFFFFF)), out("out", "u32", 256), scalar("s32", "tiles", 32)]),
    large("large_pair", "large_pair", 4, 128, 102400, [out("out", "u32", 512), scalar("s32", "words", 25600)]),
    large("large_product", "large_product", 1, 128, 80 * 384 * 2,
          [buf("a", "f16", whole_floats(64 * 384, -9, 9)), buf("b", "f16", whole_floats(16 * 384, -9, 9)), out("c", "f32", 64 * 16), scalar("s32", "k", 384)]),
    attention("large_attention", 270, 1, 128),
]
