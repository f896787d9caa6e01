"""cp.async.bulk.tensor in im2col mode, and boxes of tensors with interleaved channels. Halves tell where each element comes from."""

from math import ceil, prod

from .inputs import bits, buf, case, listed, out, pixel_map, scalar, tensor_map, whole_floats
from .tensor_maps import BYTES, coordinates, flat, floats, numbers, special

SLICES = {"none": 0, "16B": 16, "32B": 32}


def words_of(type, sizes, interleave="none", strides=None, **_):
    """The words of a tensor."""
    first = SLICES[interleave] or BYTES[type]
    return ceil((strides[-1] * sizes[-1] if strides else first * prod(sizes)) / 4)


def row_bytes(type, count, interleave="none", **_):
    return SLICES[interleave] or count * BYTES[type]


def memory(type, words):
    return {**buf("tensor", "u32", words), "kind": "memory"}


def offsets(values):
    return [scalar("u16", f"o{i}", o) for i, o in enumerate([*values, 0, 0, 0][:3])]


def load(name, type, sizes, lower, upper, channels, pixels, at, shifts, place=0, data=None, **more):
    count = pixels * row_bytes(type, channels, **more)
    words = data or flat(words_of(type, sizes, **more))
    return case(f"im2col_{name}", "im2col", f"im2col_load_{len(sizes)}d", (1, 1), 32,
                [pixel_map("map", 12, type, sizes, lower, upper, channels, pixels, **more), out("out", "u32", count // 4), scalar("u32", "bytes", count), scalar("u32", "at", place), *coordinates(at), *offsets(shifts), memory(type, words)])


def store(name, entry, type, sizes, channels, pixels, at, data=None, tensor=None, lower=None, upper=None, **more):
    count = pixels * row_bytes(type, channels, **more)
    none = [0] * (len(sizes) - 2)
    return case(f"im2col_{name}", "im2col", entry, (1, 1), 32,
                [pixel_map("map", 8, type, sizes, lower or none, upper or none, channels, pixels, **more), buf("from", "u32", data or bits(count // 4)), scalar("u32", "bytes", count), *coordinates(at), memory(type, tensor or bits(words_of(type, sizes, **more)))])


def box_bytes(type, box, interleave, elementStrides=None, **_):
    counts = [ceil(b / s) for b, s in zip(box, elementStrides or [1] * len(box))]
    return SLICES[interleave] * prod(counts[:-2]) * counts[-1]


def slices(name, type, sizes, box, at, place=0, data=None, **more):
    """A load of slices in tile mode."""
    count = box_bytes(type, box, **more)
    return case(f"slices_{name}", "tensor_maps", f"tensor_load_{len(sizes)}d", (1, 1), 32,
                [tensor_map("map", 9, type, sizes, box, **more), out("out", "u32", count // 4), scalar("u32", "bytes", count), scalar("u32", "at", place), *coordinates(at), memory(type, data or flat(words_of(type, sizes, **more)))])


def store_slices(name, type, sizes, box, at, **more):
    count = box_bytes(type, box, **more)
    return case(f"slices_{name}", "tensor_maps", f"tensor_store_{len(sizes)}d", (1, 1), 32,
                [tensor_map("map", 8, type, sizes, box, **more), buf("from", "u32", bits(count // 4)), scalar("u32", "bytes", count), *coordinates(at), memory(type, bits(words_of(type, sizes, **more)))])


LOADS = [
    load("load_3d", "u16", [24, 9, 3], [-1], [-1], 16, 20, [8, 2, 0], [1]),
    load("load_4d", "u16", [16, 7, 6, 3], [-1, -1], [-1, -1], 8, 40, [8, 3, 2, 0], [1, 2]),
    load("load_5d", "u16", [16, 5, 4, 4, 2], [-1, 0, -2], [0, -1, 1], 16, 50, [0, 1, 2, 0, 0], [0, 1, 3]),
    load("load_4d_odd", "u16", [20, 5, 4, 2], [-2, 1], [1, 0], 24, 30, [-8, 5, 1, -1], [0, 1], strides=[48, 256, 1056]),
    load("load_3d_beyond", "f16", [24, 4, 2], [2], [3], 8, 12, [16, 6, 1], [0], fill="nan"),
    load("load_wide_offsets", "u16", [8, 300, 3], [-256], [-256], 8, 30, [0, -250, 1], [251]),
    load("steps_4d", "u16", [16, 9, 7, 5], [-1, 0], [1, 0], 8, 36, [0, 2, 1, 0], [1, 0], elementStrides=[1, 2, 3, 2]),
    load("steps_5d", "u16", [8, 7, 5, 4, 3], [0, -1, 0], [0, 0, 1], 8, 40, [0, 1, 2, 1, 0], [2, 0, 1], elementStrides=[1, 3, 1, 2, 1]),
    load("type_u8", "u8", [80, 5, 4, 2], [-1, -1], [0, 0], 48, 12, [48, 3, -1, 0], [0, 0], data=bits(80 * 40 // 4)),
    load("type_f16", "f16", [24, 5, 4, 2], [-1, -1], [0, 0], 16, 12, [16, 3, -1, 0], [1, 0], fill="nan"),
    load("type_tf32", "tf32", [12, 5, 4, 2], [-1, -1], [0, 0], 8, 12, [8, 3, 0, 0], [0, 0], data=special(12 * 40), fill="nan"),
    load("type_f64", "f64", [6, 5, 4, 2], [-1, -1], [0, 0], 4, 12, [2, 3, 0, 0], [0, 1], fill="nan"),
    load("type_s32", "s32", [12, 5, 4, 2], [-1, -1], [0, 0], 8, 12, [4, 3, 0, 0], [0, 0]),
    load("swizzle_32B", "u16", [16, 9, 7, 2], [-1, -1], [0, 0], 16, 40, [0, 3, 2, 0], [0, 1], place=128, swizzle="32B"),
    load("swizzle_64B", "u16", [40, 9, 7, 2], [-1, -1], [0, 0], 32, 30, [8, 3, 2, 0], [0, 1], swizzle="64B"),
    load("swizzle_128B", "u16", [72, 9, 7, 2], [-1, -1], [0, 0], 64, 20, [8, 3, 5, 0], [1, 1], place=640, swizzle="128B"),
    load("swizzle_narrow", "u16", [64, 9, 7, 2], [-1, -1], [0, 0], 32, 12, [8, 3, 5, 0], [1, 1], swizzle="128B"),
    load("slices_3d", "u16", [9, 3, 2], [-1], [0], 8, 24, [2, 1, 0], [1], interleave="16B"),
    load("slices_4d", "u16", [7, 6, 3, 2], [-1, -1], [0, 1], 8, 50, [2, 3, 2, 0], [1, 0], interleave="16B"),
    load("slices_5d", "f16", [5, 4, 3, 2, 2], [-1, -1, 0], [0, 1, 0], 8, 70, [2, 3, 1, 1, 0], [1, 0, 2], interleave="16B", fill="nan"),
    load("slices_wide", "u8", [7, 6, 3, 2], [-1, -1], [0, 1], 32, 50, [2, 3, 2, 0], [1, 0], interleave="32B", swizzle="32B", place=128, data=bits(7 * 6 * 3 * 2 * 8)),
    load("slices_steps", "f32", [9, 8, 2, 3], [-1, -1], [0, 1], 4, 40, [1, 3, 1, 0], [1, 0], interleave="16B", elementStrides=[2, 3, 1, 2]),
    load("slices_beyond", "f16", [7, 6, 3, 2], [-1, -1], [0, 1], 8, 50, [2, 3, 3, 0], [1, 0], interleave="16B", fill="nan"),
]
STORES = [
    store("store_3d", "im2col_store_3d", "u16", [24, 9, 3], 16, 20, [8, 2, 0]),
    store("store_4d", "im2col_store_4d", "u16", [16, 7, 6, 3], 8, 60, [8, 3, 2, 0]),
    store("store_5d", "im2col_store_5d", "f32", [8, 5, 4, 3, 2], 8, 50, [0, 1, 2, 0, 1]),
    store("store_odd", "im2col_store_4d", "u16", [16, 7, 6, 2], 16, 30, [8, 3, 4, 1]),
    store("store_inside", "im2col_store_4d", "u16", [16, 7, 6, 3], 8, 40, [8, 3, 2, 0], lower=[1, 0], upper=[-1, -2]),
    store("add_f32_ftz", "im2col_add_3d", "f32.ftz", [8, 9, 3], 8, 20, [0, 2, 0], data=listed([0x00400000, 0x80400001, 0x00800001, 0x80C00000, 0x3F800000] * 32), tensor=listed([0x00800000, 0x00400001, 0x80800000, 0x00400000] * 54)),
    store("store_steps", "im2col_store_4d", "u32", [8, 9, 8, 4], 8, 25, [0, 1, 2, 0], elementStrides=[1, 2, 3, 2]),
    store("store_swizzle", "im2col_store_4d", "u16", [64, 7, 6, 2], 64, 30, [0, 3, 4, 0], swizzle="128B"),
    store("store_slices", "im2col_store_4d", "u16", [7, 6, 3, 2], 8, 60, [2, 3, 1, 0], interleave="16B"),
    store("store_slices_wide", "im2col_store_5d", "u16", [5, 4, 3, 2, 2], 16, 60, [2, 3, 0, 1, 0], interleave="32B", swizzle="32B"),
    store("add_u32", "im2col_add_3d", "u32", [8, 9, 3], 8, 20, [0, 2, 0]),
    store("add_f16", "im2col_add_3d", "f16", [16, 9, 3], 8, 20, [8, 2, 0], data=numbers("f16", "add", 20 * 4), tensor=numbers("f16", "add", 16 * 27 // 2)),
    store("add_f32", "im2col_add_3d", "f32", [8, 9, 3], 8, 20, [0, 2, 0], data=floats(160), tensor=floats(8 * 27)),
    store("max_s32", "im2col_max_4d", "s32", [8, 7, 6, 2], 8, 60, [0, 2, 1, 0]),
    store("xor_u64", "im2col_xor_5d", "u64", [4, 5, 4, 3, 2], 4, 50, [0, 2, 1, 0, 0]),
    store("add_slices", "im2col_add_3d", "s32", [9, 3, 3], 4, 20, [3, 1, 0], interleave="16B"),
]
SLICED = [
    slices("load_3d", "u16", [9, 3, 2], [8, 1, 2], [-1, 2, 0], interleave="16B"),
    slices("load_4d", "u16", [9, 5, 3, 2], [8, 4, 1, 2], [4, -1, 1, 0], interleave="16B"),
    slices("load_5d", "f16", [9, 5, 4, 3, 2], [8, 3, 2, 1, 2], [4, -1, 1, 1, 0], interleave="16B", fill="nan"),
    slices("load_wide", "u8", [9, 5, 3, 2], [16, 4, 1, 2], [-2, 1, 1, 0], interleave="32B", swizzle="32B", place=128, data=bits(9 * 5 * 3 * 2 * 8)),
    slices("load_steps", "u32", [12, 9, 3, 2], [8, 7, 3, 2], [2, 1, 1, 0], interleave="16B", elementStrides=[2, 3, 1, 1]),
    slices("load_beyond", "f16", [9, 5, 3, 2], [8, 4, 1, 2], [0, 0, 3, 0], interleave="16B", fill="nan"),
    slices("load_swizzle", "u16", [9, 5, 3, 2], [16, 4, 1, 2], [-2, 0, 1, 0], interleave="16B", swizzle="64B"),
    slices("load_tf32", "tf32", [9, 3, 2], [8, 1, 2], [-1, 2, 0], interleave="16B", fill="nan", data=special(9 * 3 * 2 * 4)),
    store_slices("store_3d", "u16", [9, 3, 2], [8, 1, 2], [4, 2, 0], interleave="16B"),
    store_slices("store_4d", "u16", [9, 5, 3, 2], [8, 4, 1, 2], [4, 2, 1, 0], interleave="16B"),
    store_slices("store_5d", "u32", [9, 5, 4, 3, 2], [8, 3, 2, 1, 2], [4, 1, 3, 1, 0], interleave="32B", swizzle="32B"),
]
MULTICAST = case("im2col_multicast", "im2col", "im2col_multicast", (4, 1), 32,
                 [pixel_map("map", 6, "u16", [16, 7, 6, 3], [-1, -1], [-1, -1], 16, 24), out("out", "u32", 4 * 2 * 24 * 8), scalar("u32", "bytes", 24 * 32), scalar("s32", "c1", 2), scalar("s32", "c2", 3), scalar("s32", "c3", 0), memory("u16", flat(16 * 7 * 6 * 3 // 2))])


def convolution(name, width, height, images):
    pixels = width * height * images
    return case(f"im2col_convolution{name}", "im2col", "im2col_convolution", ceil(pixels / 32), 128,
                [pixel_map("map", 6, "f16", [16, width, height, images], [-1, -1], [-1, -1], 16, 32), buf("weights", "f16", whole_floats(9 * 16 * 16, -9, 9)), out("out", "f32", pixels * 16), scalar("s32", "width", width), scalar("s32", "height", height), scalar("s32", "images", images),
                 {**buf("pixels", "f16", whole_floats(pixels * 16, -9, 9)), "kind": "memory"}])


CASES = [*LOADS, *STORES, *SLICED, MULTICAST, convolution("", 14, 12, 2), convolution("_odd", 7, 5, 3)]
