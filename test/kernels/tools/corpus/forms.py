"""Instruction forms that nvcc does not generate from source."""

from .inputs import bits, buf, case, floats, mixed, out, whole_floats
from .numbers import s32
from .textures import halves, surface, texels, texture

EDGES = [0, 0x7FFF8000, 0x80007FFF, 0x7F7F8080, 0xFFFFFFFF, 0x0001FFFF, 0x80000000, 0x7FFFFFFF, 0x1F051F00]
# As f32: zeros, subnormals, the least and greatest values of the narrow formats and values between
# two of theirs, infinities, NaNs.
NARROW = [
    0, 0x80000000, 1, 0x807FFFFF, 0x3E800000, 0x3E7FFFFF, 0x3F200000, 0x40A00000, 0x40C00000, 0x40E00000, 0xC0E00001, 0x41E00000, 0x41F00000, 0x7F800000, 0xFF800000,
    0x7FC00000, 0x43E00000, 0x3B800000, 0x7F7FFFFF, 0x00800000, 0x7E800001, 0x3FC00000, 0xBFC00000, 0x3D000000]

IMAGES = {
    "line": texture("line", "f32", [11], texels("f32", 44), channels=4, filter="linear", address="mirror", normalizedCoordinates=True),
    "plane": texture("plane", "f16", [9, 7], halves(9 * 7 * 4, -4, 4), channels=4, filter="linear", address="wrap", normalizedCoordinates=True),
    "volume": texture("volume", "f32", [6, 5, 4], texels("f32", 240), channels=2, filter="linear", address="clamp", normalizedCoordinates=True),
    "lines": texture("lines", "u8", [19], bits(19 * 3 * 4, 8), channels=4, layers=3, filter="linear", address="border", normalizedReads=True, normalizedCoordinates=True),
    "planes": texture("planes", "f32", [9, 7], texels("f32", 9 * 7 * 3), layers=3, filter="point", address="wrap", normalizedCoordinates=True),
}

CASES = [
    case("forms_video", "forms", "forms_video", 2, 64, [
        buf("a", "u32", mixed(120, EDGES)), buf("b", "u32", mixed(120, EDGES[::-1])), buf("c", "u32", bits(120)), out("out", "u32", 12 * 120), s32("n", 120)]),
    case("forms_texture", "forms", "forms_texture", 2, 64, [
        texture("image", "f16", [9, 7], halves(9 * 7 * 4, -4, 4), channels=4, filter="linear", address="mirror", normalizedCoordinates=True),
        buf("at", "f32", floats(2 * 100, -1.25, 2.5)), out("out", "u32", 14 * 100), s32("n", 100)]),
    case("forms_mbarrier", "forms", "forms_mbarrier", 2, 64, [buf("in", "u32", bits(128)), out("out", "u32", 4 * 128)]),
    case("forms_hints", "forms", "forms_hints", 2, 64, [buf("in", "u32", bits(512)), out("out", "u32", 512)]),
    case("forms_mma", "forms", "forms_mma", 1, 32, [buf("in", "u32", bits(6 * 32)), out("out", "u32", 14 * 32)]),

    case("products_f16", "matrix_forms", "products_f16", 1, 32, [buf("in", "u32", bits(8 * 32)), out("out", "u32", 32 * 32)]),
    case("products_quad", "matrix_forms", "products_quad", 1, 32, [buf("in", "u32", bits(8 * 32)), out("out", "u32", 32 * 32)]),
    case("products_f8", "matrix_forms", "products_f8", 1, 32, [buf("in", "u32", bits(8 * 32)), out("out", "u32", 32 * 32)]),
    case("products_bytes", "matrix_forms", "products_bytes", 1, 32, [buf("in", "u32", mixed(8 * 32, [0x7FFFFFFF, 0x80000000, 0x7F7F7F7F, 0x80808080, 0x88888888, 0x77777777])), out("out", "u32", 32 * 32)]),
    case("products_f64", "matrix_forms", "products_f64", 1, 32, [buf("in", "f64", whole_floats(8 * 32, -999, 999)), out("out", "f64", 22 * 32)]),
    case("matrix_places", "matrix_forms", "matrix_places", 1, 32, [buf("in", "u32", bits(128)), out("out", "u32", 12 * 32)]),

    case("copy_policies", "copy_forms", "policies", 2, 64, [buf("in", "u32", bits(4 * 128)), out("out", "u32", 4 * 128), buf("sums", "u32", bits(65))]),
    case("bulk_moves", "copy_forms", "bulk_moves", 2, 64, [buf("in", "u32", bits(128)), out("out", "u32", 128)]),
    case("async_reductions", "copy_forms", "reductions", 1, 32, [
        buf("in", "u32", mixed(128, EDGES)), out("out", "u32", 152 + 2 * 256)]),
    case("async_group_reductions", "copy_forms", "group_reductions", 1, 32, [buf("in", "u32", mixed(64, EDGES)), buf("sums", "u32", bits(48))]),
    case("copy_registers", "copy_forms", "registers", 2, 256, [buf("in", "u32", bits(512)), out("out", "u32", 512)]),
    case("copy_give_up", "copy_forms", "give_up", 2, 32, [buf("in", "u32", bits(64)), buf("out", "u32", bits(64))]),

    case("mbarrier_phases", "barrier_forms", "phases", 2, 32, [buf("in", "u32", bits(64)), out("out", "u32", 64)]),
    case("mbarrier_counts", "barrier_forms", "counts", 2, 32, [buf("in", "u32", bits(64)), out("out", "u32", 5 * 64)]),

    # Only sm_100 has them, and no such GPU was available to record their results.
    case("narrow_floats", "narrow_forms", "narrow", 2, 64, [
        buf("in", "u32", mixed(2 * 128, NARROW)), buf("words", "u32", bits(128)), out("out", "u16", 16 * 128), out("pairs", "u32", 8 * 128)]),
    case("narrow_halves", "narrow_forms", "narrow_halves", 1, 64, [buf("words", "u32", mixed(64, EDGES)), out("out", "u16", 4 * 64)]),
    case("narrow_float_pairs", "narrow_forms", "float_pairs", 1, 64, [buf("in", "u32", mixed(6 * 64, NARROW)), out("out", "u64", 17 * 64)]),

    *[case(f"video_{entry}", "video_forms", entry, 2, 64, [
        buf("a", "u32", mixed(120, EDGES)), buf("b", "u32", mixed(120, EDGES[::-1])), buf("c", "u32", bits(120)), out("out", "u32", count * 120), s32("n", 120)])
      for entry, count in (("parts", 26), ("halves", 22), ("bytes", 14))],

    *[case(f"image_{entry}", "image_forms", entry, 2, 64, [*[IMAGES[name] for name in names.split()], buf("at", "f32", floats(3 * 100, -1.25, 2.5)), out("out", "u32", count * 100), s32("n", 100)])
      for entry, names, count in (
          ("looks_at_levels", "line volume lines planes", 18), ("looks_by_gradients", "line volume lines planes", 16), ("looks_for_parts", "plane lines", 20), ("looks_for_pairs", "line volume planes", 14))],
    *[case(f"image_{entry}", "image_forms", entry, 2, 64, [
        texture("plane", "f32", [7, 5], texels("f32", 7 * 5 * 4), channels=4, address="border"),
        texture("volume", "f16", [6, 5, 4], halves(240, -4, 4), channels=2, address="clamp"),
        texture("lines", "f32", [8], texels("f32", 8 * 3 * 2), channels=2, layers=3),
        texture("planes", "f32", [7, 5], texels("f32", 7 * 5 * 3), layers=3),
        out("out", "u32", count * 100), s32("n", 100)])
      for entry, count in (("looks_by_integers", 28), ("looks_at_a_level_by_integers", 18))],
    case("image_surface_bytes", "image_forms", "surface_bytes", 2, 64, [
        surface("line", "u16", [10], bits(10, 16)), surface("plane", "u32", [10, 6], bits(240), channels=4), surface("volume", "u32", [6, 3, 2], bits(72), channels=2),
        surface("lines", "u32", [8], bits(64), channels=4, layers=2), surface("planes", "u8", [9, 7], bits(9 * 7 * 4, 8), channels=2, layers=2),
        out("out", "u32", 17 * 100), s32("n", 100)]),
    case("image_surface_stores", "image_forms", "surface_stores", 1, 64, [
        surface("line", "u16", [40], bits(40, 16)), surface("plane", "u32", [6, 4], bits(96), channels=4), surface("volume", "u32", [4, 3, 4], bits(96), channels=2),
        surface("lines", "u32", [18], bits(72), channels=2, layers=2), surface("planes", "u16", [4, 4], bits(64, 16), channels=2, layers=2),
        surface("texels", "f16", [7, 6], halves(84, -4, 4), channels=2), surface("deep", "u16", [4, 3, 4], bits(48, 16)),
        surface("rows", "u8", [18], bits(144, 8), channels=4, layers=2), surface("sheets", "s16", [5, 4], bits(80, 16), channels=2, layers=2),
        buf("in", "u32", bits(160)), s32("n", 40)]),
    case("image_surface_reductions", "image_forms", "surface_reductions", 2, 64, [
        surface("line", "s32", [8], bits(8)), surface("plane", "u32", [4, 3], bits(12)), surface("volume", "u32", [4, 2, 2], bits(16)), surface("wide", "u32", [8], bits(16), channels=2),
        buf("in", "u32", bits(100)), s32("n", 100)]),
]
