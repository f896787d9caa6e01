"""Video instructions in loops of a codec, and 8-bit floating point."""

from .inputs import bits, buf, case, floats, mixed, out, scalar
from .numbers import s32

BYTES = [0, 0x01010101, 0x7F7F7F7F, 0x80808080, 0xFFFFFFFF, 0x00FF00FF, 0x80FF7F01, 0x7F00FF80, 0x10EB10EB]
SPECIAL = [0, 0x80000000, 0x3F800000, 0x43E00000, 0x43E80000, 0x43E80001, 0x47600000, 0x47700000, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC12345, 0x3A800000, 0x3B000000, 0x3B000001, 0x37000000, 0x37800001, 0x7C007C01, 0xFBFF7BFF]


def words(n):
    return mixed(n, BYTES)


def quantized(id, rows, pairs, wide):
    return case(id, "fp8", "fp8_quantize", rows, 32, [
        buf("in", "f32", floats(2 * rows * pairs, -6, 6)), out("out", "u16", rows * pairs), out("scales", "f32", rows), s32("pairs", pairs), s32("wide", wide)])


def restored(id, rows, pairs, wide):
    return case(id, "fp8", "fp8_dequantize", rows, 32, [
        buf("in", "u16", bits(rows * pairs, 16)), buf("scales", "f32", floats(rows, 0.25, 4)), out("out", "f32", 2 * rows * pairs), s32("pairs", pairs), s32("wide", wide)])


CASES = [
    case("video_motion", "video", "video_motion", 6, 32, [
        buf("current", "u32", bits(64)), buf("reference", "u32", words(22 * 12)), out("best", "s32", 12), s32("pitch", 12), s32("range", 24)]),
    case("video_halfpel", "video", "video_halfpel", 2, 64, [buf("in", "u32", words(128)), out("out", "u32", 3 * 128), s32("n", 128)]),
    case("video_halfpel_odd", "video", "video_halfpel", 1, 96, [buf("in", "u32", words(71)), out("out", "u32", 3 * 71), s32("n", 71)]),
    case("video_reconstruct", "video", "video_reconstruct", 2, 64, [
        buf("prediction", "u32", words(128)), buf("residual", "u32", bits(128)), out("samples", "u32", 128), out("error", "u32", 128), s32("n", 128)]),
    case("video_edges", "video", "video_edges", 2, 64, [
        buf("a", "u32", words(128)), buf("b", "u32", bits(128)), out("out", "u32", 128), out("counts", "u32", 4), scalar("u32", "limit", 24)]),
    case("video_colours", "video", "video_colours", 2, 64, [buf("yuv", "u32", words(120)), out("rgb", "u32", 120), s32("n", 120)]),
    quantized("fp8_quantize", 4, 48, 0),
    quantized("fp8_quantize_wide", 3, 35, 1),
    restored("fp8_dequantize", 4, 48, 0),
    restored("fp8_dequantize_wide", 3, 35, 1),
    case("fp8_conversions", "fp8", "fp8_conversions", 4, 64, [
        buf("a", "u32", mixed(256, SPECIAL)), buf("b", "u32", mixed(256, SPECIAL[::-1])), out("out", "u32", 16 * 256), s32("n", 256)]),
]
