"""Divergence, calls, memory, 64-bit integers, barriers, atomics."""

import struct

from .inputs import bits, buf, case, floats, ints, listed, mixed, out, scalar, struct_param, text, whole_floats

WIDE = [0, 1, 2**64 - 1, 2**63, 2**63 - 1, 2**32, 2**32 - 1, 0xFFFFFFFF00000000, 10, 3]


def s32(name, value):
    return scalar("s32", name, value)


def in_out(id, ptx, entry, n, grid, block, low, high, extra=(), kind="s32"):
    return case(id, ptx, entry, grid, block, [buf("in", "s32", ints(n, low, high)), out("out", kind, n), *extra])


def wide(id, entry, n, outputs, block=64):
    """Two inputs that pair every special value with most others, then random bits."""
    crossed = [v for k in range(len(WIDE)) for v in WIDE[k:] + WIDE[:k]]
    return case(id, "int64", entry, n // block, block,
                [buf("a", "u64", mixed(n, WIDE * 10, 64)), buf("b", "u64", mixed(n, crossed, 64)), *outputs])


def long_numbers(n, specials):
    """n 128-bit numbers as pairs of words, low word first: the given ones, then random ones of every length."""
    def draw(s):
        numbers = list(specials)
        while len(numbers) < n:
            numbers.append((s.word() << 64 | s.word()) >> s.below(127))
        return [word for number in numbers[:n] for word in (number & (2**64 - 1), number >> 64)]
    return draw


LONG = [0, 1, 2**128 - 1, 2**127, 2**127 - 1, 2**64, 2**64 - 1, 2**96 + 1, 2**127 + 2**64, 10]


def int128(id):
    """Every pair of special values, then random pairs."""
    n = 192
    return case(id, "int128", id, n // 64, 64,
                [buf("a", "u64", long_numbers(n, [a for a in LONG for _ in LONG])), buf("b", "u64", long_numbers(n, LONG * len(LONG))),
                 out("quotient", "u64", 2 * n), out("remainder", "u64", 2 * n)])


def atomics(id, n, grid, block):
    return case(id, "atomics", "atomics_global", grid, block,
                [buf("in", "u32", bits(n)), buf("cells", "u32", listed([0, 0, 0xFFFFFFFF, 0, 0xFFFFFFFF, 0, 0, 0, 0])),
                 buf("signedCells", "s32", listed([2**31 - 1, -(2**31)])), s32("n", n)])


def tickets64(suffix, n, grid, block):
    first = 2**32 - 40
    return [case("tickets64" + suffix, "atomics64", "tickets64", grid, block,
                 [buf("next", "u64", listed([first])), out("most", "u64", 1), out("taken", "u32", n + 1), scalar("u64", "first", first), s32("n", n)])]


DOUBLES = [0, 1 << 63, 1, (1 << 63) + 1, 0x000FFFFFFFFFFFFF, 0x0010000000000000, 0x3FF0000000000000, 0xBFF0000000000000, 0x7FEFFFFFFFFFFFFF,
           0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0xFFF8000000000001, 0x7FF8000000000123, 0x3CA0000000000000, 0x3CA0000000000001]
WORDS = [0, 0x80000000, 1, 0x80000001, 0x007FFFFF, 0x00800000, 0x3F800000, 0xBF800000, 0x7F7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC01234,
         0x7F800001, 0x33800000, 0x00010003]
HALVES = [0, 0x8000, 1, 0x83FF, 0x0400, 0x3C00, 0xBC00, 0x7BFF, 0x7C00, 0xFC00, 0x7E00, 0xFE01, 0x7C01, 0x1000, 0x7F7F, 0x7F80, 0xFF80, 0x3F80, 0xBF80, 0x0080]


def crossed(n, values, width):
    """Every special value with every other in rows of 16 (`other_operands` has the same order), then random bits."""
    return mixed(n, [a for a in values[:16] for _ in range(16)] if n >= 256 else list(values) * 4, width)


def operands(n):
    """f64 special values, with f32 ones in their upper words and halves in the upper half of those."""
    def draw(s):
        special = [DOUBLES[k] for _ in range(16) for k in range(16)]
        for k in range(len(special)):
            if k % 3 == 1:
                special[k] = WORDS[k % 16] << 32 | k
            if k % 3 == 2:
                special[k] = HALVES[k % 20] << 48 | HALVES[(k * 7 + 3) % 20] << 32 | k
        return mixed(n, special, 64)(s)
    return draw


def float_atomics(id, n, brains):
    halves = [h for k in range(13) for h in HALVES[k:] + HALVES[:k]]
    return case(id, "atomics_types", id, (n + 63) // 64, 64,
                [buf("operands", "u64", operands(n)), buf("doubles", "u64", crossed(n, DOUBLES, 64)), buf("floats", "u32", crossed(n, WORDS, 32)),
                 buf("halves", "u16", mixed(n, halves, 16)), *([buf("brains", "u16", mixed(n, halves, 16))] if brains else []),
                 *([buf("halfPairs", "u32", mixed(n, [a << 16 | b for a, b in zip(halves, halves[5:])], 32)),
                    buf("brainPairs", "u32", mixed(n, [a << 16 | b for a, b in zip(halves[3:], halves)], 32))] if brains else []), s32("n", n)])


def whole_doubles(n):
    """n integers as f64 bits."""
    return lambda s: [struct.unpack("<Q", struct.pack("<d", s.below(2**31) - 2**30))[0] for _ in range(n)]


def repeated(n, copies):
    """n random 64-bit items, some of them repeated."""
    def draw(s):
        items = [s.word() | 1 for _ in range(n)]
        return items + items[:copies]
    return draw


def shape(id, grid, block):
    n = block[0] * block[1] * block[2] * grid[0] * grid[1] * grid[2]
    return case(id, "divergence", "block_shape", grid, block, [out("lanes", "s32", n), out("ballots", "u32", n), out("sums", "s32", n)])


def assemble(*instructions):
    """Byte code: (operation << 4) | operand."""
    return [op << 4 | operand for op, operand in instructions]


PROGRAM = assemble((0, 7), (4, 3), (2, 0), (3, 4), (5, 2), (1, 0), (8, 0), (6, 2), (9, 0), (10, 1), (11, 3), (7, 0), (12, 0), (0, 1), (5, 1), (3, 2), (11, 0))

CASES = [
    in_out("arms_own_mask", "divergence", "arms_own_mask", 128, 2, 64, -20, 20),
    in_out("arms_shared_vote", "divergence", "arms_shared_vote", 128, 2, 64, 0, 40, kind="u32"),
    in_out("arms_shared_shuffle", "divergence", "arms_shared_shuffle", 128, 2, 64, -100, 100),
    in_out("nested_masks", "divergence", "nested_masks", 200, 2, 128, 0, 1000, [s32("n", 200)]),
    in_out("nested_masks_odd", "divergence", "nested_masks", 47, 1, 50, 0, 30, [s32("n", 47)]),
    case("loop_shrinking_mask", "divergence", "loop_shrinking_mask", 2, 64,
         [buf("trips", "s32", ints(128, 0, 12)), buf("in", "s32", ints(128, -99, 99)), out("out", "s32", 128), s32("n", 128)]),
    case("loop_shrinking_mask_odd", "divergence", "loop_shrinking_mask", 1, 77,
         [buf("trips", "s32", ints(70, 0, 3)), buf("in", "s32", ints(70, -99, 99)), out("out", "s32", 70), s32("n", 70)]),
    in_out("exits_in_loop", "divergence", "exits_in_loop", 128, 2, 64, 0, 500, [s32("rounds", 9)], "u32"),
    case("peel_by_key", "divergence", "peel_by_key", 2, 128,
         [buf("in", "s32", ints(256, 0, 2000)), out("sums", "s32", 8), out("counts", "s32", 8), s32("n", 256)]),
    case("peel_by_key_odd", "divergence", "peel_by_key", 3, 50,
         [buf("in", "s32", ints(139, 0, 2000)), out("sums", "s32", 8), out("counts", "s32", 8), s32("n", 139)]),
    in_out("exit_before_barrier", "divergence", "exit_before_barrier", 200, 2, 128, -999, 999, [s32("n", 200)]),
    in_out("exit_before_barrier_odd", "divergence", "exit_before_barrier", 133, 3, 60, -999, 999, [s32("n", 133)]),
    shape("block_shape_2d", (2, 1, 1), (12, 7, 1)),
    shape("block_shape_3d", (1, 2, 2), (5, 3, 4)),
    shape("block_shape_rows", (1, 1, 1), (32, 3, 2)),
    in_out("switch_collectives", "switch", "switch_collectives", 128, 2, 64, 0, 250),
    case("bytecode", "switch", "bytecode", 2, 32,
         [buf("code", "u8", listed(PROGRAM)), buf("start", "s32", ints(64, 0, len(PROGRAM) - 1)), out("out", "s32", 64),
          s32("codeLength", len(PROGRAM)), s32("fuel", 60)]),
    case("switch_automaton", "switch", "switch_automaton", 1, 64,
         [buf("text", "u8", text(64 * 20, "aaabbbccczmq")), out("visits", "u32", 64), out("last", "s32", 64), s32("length", 20)]),
    in_out("calls_scalar", "calls", "calls_scalar", 128, 2, 64, -200, 200),
    case("calls_struct", "calls", "calls_struct", 1, 40,
         [buf("in", "f32", floats(80, -1.25, 1.25)), out("out", "f32", 80), s32("power", 5)]),
    case("calls_pointer", "calls", "calls_pointer", 2, 64, [buf("global", "s32", ints(128, 0, 999)), out("out", "s32", 128)]),
    case("calls_wide", "calls", "calls_wide", 1, 50, [buf("in", "u64", mixed(50, WIDE, 64)), out("out", "u64", 50)]),
    case("calls_argmax", "calls", "calls_argmax", 2, 64,
         [buf("in", "f32", whole_floats(128, -30, 30)), out("where", "s32", 4), out("most", "f32", 4)]),
    case("memory_module", "memory", "memory_module", 2, 64, [out("out", "s32", 120), s32("n", 120)]),
    case("memory_counter", "memory", "memory_counter", 1, 96, [out("out", "s32", 1)]),
    *(case("parameter_table" + suffix, "parameters", "parameter_table", (n + 63) // 64, 64,
           [struct_param("table", "12i8Bf4x3q", *[(k * 37) % 101 - 50 for k in range(12)], 3, 11, 0, 7, 5, 2, 9, 6, 2.75, -5, 2**40, -(2**50) + 1),
            buf("in", "s32", ints(n, -10000, 10000)), out("out", "s64", n), s32("n", n)])
      for suffix, n in (("", 128), ("_odd", 75))),
    case("parameter_pointer", "parameters", "parameter_pointer", 2, 64,
         [struct_param("shape", "8fi", 1.5, -2.25, 100.0, 3.0, -7.5, 60.0, 0.0, 12.0, 8), buf("in", "s32", ints(128, 0, 200)), out("out", "f32", 128), s32("n", 128)]),
    case("memory_struct", "memory", "memory_struct", 2, 48,
         [struct_param("c", "i3hBxfq", -7, 100, -200, 300, 0b10110010, 2.75, -(2**40) + 12345), buf("in", "s32", ints(96, -5000, 5000)),
          out("out", "s32", 96), out("wide", "s64", 96)]),
    case("memory_narrow", "memory", "memory_narrow", 3, 33,
         [buf("a", "s8", bits(99, 8)), buf("b", "u8", bits(99, 8)), buf("c", "s16", bits(99, 16)), buf("d", "u16", bits(99, 16)),
          out("bytes", "s8", 99), out("halves", "s16", 99), out("sums", "s32", 99)]),
    case("memory_vectors", "memory", "memory_vectors", 1, 64,
         [buf("f", "f32", floats(256, -8, 8)), buf("u", "u32", bits(128)), buf("w", "s64", bits(128, 64)), out("outF", "f32", 128),
          out("outU", "u32", 256), out("outW", "s64", 128)]),
    case("memory_small_vectors", "memory", "memory_small_vectors", 2, 35,
         [buf("h", "s16", bits(280, 16)), buf("b", "u8", bits(280, 8)), out("outH", "s16", 140), out("outB", "u8", 280)]),
    in_out("memory_local", "memory", "memory_local", 101, 2, 64, 0, 500, [s32("n", 101)]),
    case("memory_shared", "memory", "memory_shared", 2, 64, [buf("in", "u32", bits(128)), out("out", "u32", 128)], shared=64 + 256),
    case("memory_shared_odd", "memory", "memory_shared", 3, 41, [buf("in", "u32", bits(123)), out("out", "u32", 123)], shared=64 + 164),
    in_out("memory_hints", "memory", "memory_hints", 128, 2, 64, -9999, 9999, [out("box", "s32", 128)]),
    case("memory_pointers", "memory", "memory_pointers", 1, 70,
         [buf("in", "u8", bits(70 + 13 * 11, 8)), out("out", "u32", 70), s32("stride", 13), s32("count", 11)]),
    case("memory_checked", "memory", "memory_checked", 1, 64,
         [buf("at", "u32", ints(64, 0, 3)), buf("table", "u32", bits(4)), out("out", "u32", 64)]),
    case("memory_spaces", "memory", "memory_spaces", 1, 32, [out("out", "u32", 32)]),
    case("spaces", "spaces", "spaces", 1, 32, [buf("in", "s32", ints(32, 0, 999)), out("out", "u32", 288), struct_param("weights", "7i", 100, -200, 300, -400, 500, -600, 77)]),
    wide("wide_multiply", "wide_multiply", 128, [out("low", "u64", 128), out("high", "u64", 128), out("signedHigh", "s64", 128), out("folded", "u64", 128)]),
    wide("wide_divide", "wide_divide", 128,
         [out("quotient", "u64", 128), out("remainder", "u64", 128), out("signedQuotient", "s64", 128), out("signedRemainder", "s64", 128)]),
    case("wide_shift", "int64", "wide_shift", 2, 50,
         [buf("a", "u64", bits(100, 64)), buf("by", "u32", mixed(100, list(range(70)) + [127, 128, 255, 256, 2**31, 2**32 - 1])),
          out("left", "u64", 100), out("right", "u64", 100), out("arithmetic", "s64", 100), out("rotated", "u64", 100)]),
    wide("wide_compare", "wide_compare", 128, [out("out", "s64", 128), out("flags", "u32", 128)]),
    case("wide_bits", "int64", "wide_bits", 1, 90, [buf("in", "u64", mixed(90, WIDE, 64)), out("counts", "s32", 90), out("reversed", "u64", 90)]),
    case("wide_convert", "int64", "wide_convert", 2, 40,
         [buf("in", "s64", mixed(80, WIDE + [2**24 + 1, 2**53 + 1, 2**62 + 2**38, 0x80000080000000], 64)),
          buf("real", "f32", lambda s: [0.0, -0.0, 0.5, 1.5, 2.5, -2.5, 1e10, -1e10, 9.2e18, 1e19, 1.8e19, -1e19, 3e38] + floats(67, -1e6, 1e6)(s)),
          out("narrowed", "s64", 80), out("floats", "f32", 160), out("whole", "s64", 80), out("unsignedWhole", "u64", 80)]),
    wide("wide_carry", "wide_carry", 128, [out("sum", "u64", 128), out("difference", "u64", 128)], 64)
    | {"grid": [1, 1, 1]},
    case("wide_warp", "int64", "wide_warp", 2, 64,
         [buf("in", "u64", lambda s: [v | (k < 32 or k >= 96 and k % 2) << 63 for k, v in enumerate([s.below(4) << 50 | s.below(256) for _ in range(128)])]),
          out("out", "u64", 128), out("matches", "u32", 128)]),
    int128("int128_divide"),
    int128("int128_divide_signed"),
    atomics("atomics_global", 256, 2, 128),
    atomics("atomics_global_odd", 91, 3, 33),
    case("atomics_shared", "atomics", "atomics_shared", 2, 96, [buf("in", "u32", bits(400)), out("out", "u32", 22), s32("n", 400)]),
    case("atomics_wide", "atomics", "atomics_wide", 2, 64,
         [buf("in", "u64", bits(120, 64)), buf("cells", "u64", listed([2**40, 2**64 - 1, 0, 2**64 - 1, 0, 0])),
          buf("signedCells", "s64", listed([2**63 - 1, -(2**63)])), buf("own", "u64", bits(120, 64)), s32("n", 120)]),
    case("atomics_float", "atomics", "atomics_float", 2, 64,
         [buf("in", "f32", whole_floats(115, -500, 500)), out("sums", "f32", 6), s32("n", 115)]),
    case("atomics_cas_loop", "atomics", "atomics_cas_loop", 2, 48,
         [buf("in", "f32", floats(90, -10, 50)), buf("most", "f32", listed([-100.0])), buf("product", "u32", listed([1])), s32("n", 90)]),
    case("atomics_tickets", "atomics", "atomics_tickets", 2, 64,
         [out("next", "u32", 1), out("taken", "u32", 101), out("last", "u32", 1), s32("n", 100)]),
    case("atomics_lock", "atomics", "atomics_lock", 3, 32, [out("lock", "s32", 1), out("guarded", "s32", 1), s32("rounds", 4)]),
    *tickets64("", 200, 4, 64),
    *tickets64("_odd", 77, 2, 50),
    case("tickets64_shared", "atomics64", "tickets64_shared", 3, 64,
         [out("last", "u64", 6), out("taken", "u32", 192), scalar("u64", "first", 2**32 - 20)]),
    case("loops64", "atomics64", "loops64", 3, 40, [buf("cells", "u64", listed([1, 2**63 + 5, 2**64 - 1] * 2)), scalar("u32", "sets", 2), s32("n", 110)]),
    case("hash_table64", "atomics64", "hash_table64", 3, 64,
         [buf("items", "u64", repeated(170, 20)), out("table", "u64", 256), scalar("u32", "mask", 255), s32("n", 190)]),
    case("list64", "atomics64", "list64", 3, 64, [out("head", "u64", 3), out("next", "u32", 181), out("popped", "u32", 181), scalar("u32", "stacks", 3), s32("n", 180)]),
    case("exchange64", "atomics64", "exchange64", 3, 64,
         [buf("cell", "u64", listed([2**32 - 90])), out("seen", "u32", 172), out("done", "u32", 1), scalar("u64", "first", 2**32 - 90), s32("n", 170)]),
    case("whole64", "atomics64", "whole64", 2, 64,
         [buf("cells", "u64", listed([2**64 - 2**32] * 4)), out("counts", "u32", 2), s32("rounds", 5), s32("n", 128)]),
    case("anywhere64", "atomics64", "anywhere64", 2, 64,
         [buf("cells", "u64", listed([2**32 - 256])), buf("words", "u32", listed([0, 9, 5, 0] + [0] * 6)), out("sums", "u64", 4)]),
    float_atomics("float_atomics", 260, True),
    float_atomics("float_atomics_shared", 200, False),
    case("sums_by_type", "atomics_types", "sums_by_type", 3, 64,
         [buf("in", "u64", whole_doubles(180)), out("sums", "u64", 3), out("quads", "f32", 8), out("pairs", "u32", 2), s32("n", 180)]),
    case("counters16", "atomics_types", "counters16", 3, 64, [buf("counters", "u16", listed([250, 65500, 0, 7])), s32("n", 190)]),
    in_out("barrier_votes", "barriers", "barrier_votes", 250, 2, 128, -30, 95, [s32("n", 250)]),
    in_out("barrier_votes_odd", "barriers", "barrier_votes", 129, 3, 45, -90, 50, [s32("n", 129)]),
    in_out("barrier_named", "barriers", "barrier_named", 256, 2, 128, -999, 999),
    case("barrier_producer", "barriers", "barrier_producer", 2, 64,
         [buf("in", "s32", ints(2 * 3 * 32, -999, 999)), out("out", "s32", 64), s32("rounds", 3)]),
    in_out("barrier_partial_votes", "barriers", "barrier_partial_votes", 96, 1, 96, -3, 9),
    in_out("barrier_warp", "barriers", "barrier_warp", 128, 1, 128, -999, 999),
    in_out("barrier_hillis_steele", "barriers", "barrier_hillis_steele", 256, 2, 128, -99, 99),
    in_out("barrier_hillis_steele_odd", "barriers", "barrier_hillis_steele", 110, 2, 55, -99, 99),
    case("barrier_elect", "barriers", "barrier_elect", 1, 64, [out("out", "u32", 64)]),
]
