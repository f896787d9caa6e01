"""Numbers and pointers that PTX does not distinguish."""

from .inputs import bits, buf, case, ints, out, scalar


def u64(name, value):
    return scalar("u64", name, value)


def two(id, entry, *rest, block=32, type="u8", count=128, outputs=None):
    """Two buffers whose addresses a kernel stores."""
    width = 8 if type == "u8" else 32
    params = [buf("a", type, bits(count, width)), buf("b", type, bits(count, width)), *rest]
    return case(id, "provenance", entry, 1, block, [*params, out("out", "s32", outputs or block)])


N = scalar("s32", "n", 24)

CASES = [
    two("provenance_view", "view_bytes", u64("off", 0), N),
    two("provenance_view_far", "view_bytes", u64("off", 77), N),
    two("provenance_function", "view_function", u64("off", 0), N),
    two("provenance_function_far", "view_function", u64("off", 33), N),
    two("provenance_rows", "rows_offset", u64("off", 0)),
    two("provenance_rows_far", "rows_offset", u64("off", 100)),
    two("provenance_slices", "slices_step", u64("from", 3), scalar("s64", "step", 8), type="s32"),
    two("provenance_slices_back", "slices_step", u64("from", 20), scalar("s64", "step", -12), type="s32"),
    two("provenance_tags", "tagged_pointers", u64("off", 9), outputs=64),
    two("provenance_tags_zero", "tagged_pointers", u64("off", 0), outputs=64),
    two("provenance_shuffled", "shuffled_pointers", u64("off", 64)),
    two("provenance_halves", "pointers_in_halves", u64("off", 5)),
    two("provenance_shared", "shared_pointers", u64("off", 16), type="s32", count=32),
    two("provenance_chosen", "chosen_pointers", u64("off", 40)),
    case("provenance_aligned", "provenance", "aligned_pointer", 1, 32,
         [buf("a", "u8", bits(128, 8)), u64("off", 32), out("out", "s32", 32)]),
    case("provenance_number", "provenance", "pointer_or_number", 1, 32,
         [buf("a", "u8", bits(64, 8)), u64("x", 17), scalar("s32", "is_number", 1), out("out", "s32", 32)]),
    case("provenance_pointer", "provenance", "pointer_or_number", 1, 32,
         [buf("a", "u8", bits(64, 8)), buf("x", "u8", bits(32, 8)), scalar("s32", "is_number", 0), out("out", "s32", 32)]),
    two("provenance_distances", "distances_of_addresses"),
    case("provenance_offsets", "provenance", "loaded_offsets", 1, 32,
         [buf("a", "u8", bits(128, 8)), buf("offs", "s64", ints(32, -64, 63)), u64("middle", 64), out("out", "s32", 32)]),
    case("provenance_pitch", "provenance", "pitched", 1, 32,
         [buf("a", "u32", bits(5 * 12)), u64("pitch", 48), scalar("s32", "height", 5), out("out", "s32", 32)]),
]
