"""Services of the CUDA runtime: printf, assert, the grid's barrier, and its own shared memory."""

import struct

from .inputs import bits, buf, case, ints, listed, out, scalar

SOURCE = "services.cu"
CHECKED = "int checked(const int *, int, int, int)"


def checked(id, entry, limit, grid=2, block=64, **told):
    """All numbers are below 500, except one, which is 900."""
    n = grid * block
    numbers = [(37 * i) % 500 for i in range(n)]
    numbers[n - 10] = 900
    outputs = grid if entry == "assert_sum" else n
    return case(id, "services", entry, grid, block,
                [buf("in", "s32", listed(numbers)), out("out", "s32", outputs), scalar("s32", "n", n), scalar("s32", "limit", limit)], **told)


def too_large(line):
    return f"{SOURCE}:{line}: {CHECKED}: block: [1,0,0], thread: [54,0,0] Assertion `value < limit && \"too large\"` failed."


def grid_totals(id, grid, block):
    """More numbers than threads."""
    n = grid * block + 5
    return case(id, "grid_blocks", "grid_totals", grid, block,
                [buf("numbers", "u32", bits(n)), out("sums", "u32", grid), out("out", "u32", grid * block), scalar("s32", "n", n)], cooperative=True)


def bits_of(value):
    return struct.unpack("<Q", struct.pack("<d", value))[0]


DOUBLES = [bits_of(v) for v in (0.0, -0.0, 1.5, -2.25, 0.1, 1e300, 5e-324, float("inf"), 3.141592653589793, 1e-5, 123456789.125, 0.5, 2.5, -1e22)]


def rows(values):
    """A wide number, 16 bits, 8 bits and a letter each."""
    words = []
    for i, value in enumerate(values):
        words += [value ^ (i * 0x9E3779B97F4A7C15 & 2**64 - 1), (0xFFF0 + i & 0xFFFF) | (0xF8 + i & 0xFF) << 16 | (ord("a") + i) << 24]
    return words


CASES = [
    case("print_lines", "services", "print_lines", 2, 48, [buf("in", "s32", ints(90, -20, 40)), out("counts", "s32", 90), scalar("s32", "n", 90)]),
    case("print_shuffled", "services", "print_shuffled", 2, 64, [buf("in", "s32", ints(128, -99, 99))]),
    case("print_numbers", "services", "print_numbers", 1, 32,
         [buf("rows", "u64", listed(rows(DOUBLES))), buf("values", "u64", listed(DOUBLES)), scalar("s32", "n", len(DOUBLES))]),
    checked("assert_sum", "assert_sum", 1000),
    checked("assert_sum_fails", "assert_sum", 900, fails=too_large(51)),
    checked("assert_each", "assert_each", 901),
    checked("assert_each_fails", "assert_each", 600, fails=too_large(51)),
    case("grid_rounds", "grid", "grid_rounds", 1, 128, [buf("numbers", "u32", bits(128)), out("out", "u32", 128), scalar("s32", "rounds", 5)], cooperative=True),
    grid_totals("grid_totals", 3, 32),
    grid_totals("grid_totals_two", 2, 64),
    case("tile_pairs", "grid", "tile_pairs", 2, 128, [buf("in", "s32", ints(256, -99, 99)), out("places", "s32", 256)]),
    case("function_table", "indirect", "function_table", 2, 48,
         [buf("code", "u8", bits(96 * 9, 8)), buf("in", "s32", ints(96, -50, 50)), out("out", "s32", 96), scalar("s32", "length", 9)]),
    case("virtual_functions", "indirect", "virtual_functions", 2, 40, [buf("in", "s32", ints(80, 0, 60)), out("out", "s32", 80)]),
    case("warp_callbacks", "indirect", "warp_callbacks", 2, 96, [buf("in", "s32", ints(192, -99, 99)), out("out", "s32", 192)]),
    case("quicksort", "recursion", "quicksort", 1, 40, [buf("data", "s32", ints(40 * 21, -500, 500)), scalar("s32", "length", 21)]),
    case("recursive_numbers", "recursion", "recursive_numbers", 1, 36, [buf("in", "u32", ints(36, 0, 9)), out("out", "u32", 108)]),
    case("recursive_walk", "recursion", "recursive_walk", 1, 40,
         [buf("tree", "s32", ints(128, -9, 9)), out("out", "s32", 40), out("weights", "s64", 40)]),
    case("recursive_shuffles", "recursion", "recursive_shuffles", 1, 64, [buf("in", "s32", ints(64, -99, 99)), out("out", "s32", 64)]),
]
