"""Asynchronous copies."""

from .inputs import bits, buf, case, ints, out, scalar, whole_floats

CASES = [
    case("copy_two_tiles", "copies", "copy_two_tiles", 2, 64, [buf("in", "s32", ints(2 * 5 * 64 * 4, -99, 99)), out("out", "s32", 2 * 5 * 64 * 4), scalar("s32", "tiles", 5)]),
    case("copy_two_tiles_odd", "copies", "copy_two_tiles", 1, 45, [buf("in", "s32", ints(3 * 45 * 4, -99, 99)), out("out", "s32", 3 * 45 * 4), scalar("s32", "tiles", 3)]),
    case("copy_pieces", "copies", "copy_pieces", 2, 32, [buf("in", "u32", bits(2 * 4 * 256)), out("out", "u32", 2 * 4 * 256), scalar("s32", "n", 2 * 4 * 256 - 133)]),
    case("copy_matrices", "copies", "copy_matrices", (2, 2), (8, 8),
         [buf("a", "f32", whole_floats(32 * 32, -9, 9)), buf("b", "f32", whole_floats(32 * 32, -9, 9)), out("c", "f32", 16 * 32), scalar("s32", "n", 32)]),
    case("copy_together", "copies", "copy_together", 2, 96, [buf("in", "u16", bits(2 * 200, 16)), out("out", "u16", 2 * 200), scalar("s32", "n", 200)], shared=400),    case("produce_and_consume", "mbarriers", "produce_and_consume", 2, 96, [buf("in", "s32", ints(5 * 64, -99, 99)), out("out", "s32", 2 * 64), scalar("s32", "rounds", 5)]),
    case("drop_out", "mbarriers", "drop_out", 2, 96, [buf("in", "s32", ints(2 * 96, -99, 99)), out("out", "s32", 2 * 96)]),
    case("copy_to_barrier", "mbarriers", "copy_to_barrier", 2, 64, [buf("in", "s32", ints(2 * 3 * 256, -99, 99)), out("out", "s32", 2 * 64), scalar("s32", "n", 3)]),
    case("bulk_tiles", "bulk", "bulk_tiles", 2, 32, [buf("in", "s32", ints(2 * 3 * 64, -99, 99)), out("out", "s32", 2 * 3 * 64), scalar("s32", "tiles", 3)]),
]
