"""Textures and surfaces: cases for every dimension, filter, address mode and texel type."""

import struct

from .inputs import bits, buf, case, floats, ints, out, struct_param, whole_floats
from .numbers import s32


def image(kind, name, type, size, generator, channels=1, **more):
    """A texture or surface. `size` is as in the case file; `generator` makes all components."""
    return {"name": name, "kind": kind, "type": type, "size": list(size), "channels": channels, "generator": generator, **more}


def texture(*shape, **more):
    return image("texture", *shape, **more)


def surface(*shape, **more):
    return image("surface", *shape, **more)


def halves(n, low, high):
    return lambda s: [struct.unpack("<H", struct.pack("<e", v))[0] for v in floats(n, low, high)(s)]


def f32(name, value):
    return {"name": name, "kind": "f32", "value": value}


def extent(width, height):
    return struct_param("to", "ii", width, height)


def resize(id, entry, source, output, to, scale, block=(16, 8)):
    grid = ((to[0] + block[0] - 1) // block[0], (to[1] + block[1] - 1) // block[1])
    kind, count = output
    return case(id, "textures", entry, grid, block,
                [source, out("out", kind, count * to[0] * to[1]), extent(*to), f32("scale_x", scale[0]), f32("scale_y", scale[1])])


def texels(type, n):
    if type == "f16":
        return halves(n, -8, 8)
    if type == "f32":
        return floats(n, -8, 8)
    return bits(n, {"8": 8, "6": 16, "2": 32}[type[-1]])


def flat(type, width, height, channels=1, **more):
    return texture("image", type, (width, height), texels(type, width * height * channels), channels, **more)


UNIT = {"normalizedCoordinates": True}
SMOOTH = {"filter": "linear"}
FRACTIONS = {"normalizedReads": True}

CASES = (
    resize("tex_resize_linear", "resize_linear", flat("u8", 17, 11, 4, **UNIT, **SMOOTH, **FRACTIONS), ("f32", 4), (40, 24), (1 / 40, 1 / 24)),
    resize("tex_resize_linear_odd", "resize_linear", flat("u16", 9, 7, 4, **SMOOTH, **FRACTIONS, address=["mirror", "border"]), ("f32", 4), (21, 13), (0.55, 0.71)),
    resize("tex_floats_point", "resize_floats", flat("f32", 12, 9), ("f32", 1), (32, 16), (0.5, 0.75)),
    resize("tex_floats_linear", "resize_floats", flat("f32", 12, 9, **SMOOTH, address="border", border=[1.5, 0, 0, 0]), ("f32", 1), (32, 16), (0.47, 0.83)),
    resize("tex_floats_half", "resize_floats", flat("f16", 12, 9, **SMOOTH), ("f32", 1), (32, 16), (0.61, 0.77)),
    resize("tex_floats_mirror", "resize_floats", flat("f32", 6, 5, **SMOOTH, **UNIT, address="mirror"), ("f32", 1), (32, 16), (0.13, 0.29)),
    resize("tex_floats_s8", "resize_floats", flat("s8", 6, 5, **FRACTIONS, **UNIT, address="wrap"), ("f32", 1), (32, 16), (0.11, 0.37)),
    resize("tex_rotate_wrapped", "rotate_wrapped", flat("u32", 13, 10, **UNIT, address="wrap"), ("u32", 1), (32, 24), (0.043, 0.021)),
    resize("tex_rotate_mirrored", "rotate_wrapped", flat("u16", 13, 10, **UNIT, address=["mirror", "wrap"]), ("u32", 1), (32, 24), (-0.057, 0.033)),
    case("tex_grade_colors", "textures", "grade_colors", 3, 64,
         [texture("table", "f32", (5, 4, 3), floats(240, 0, 1), 4, **UNIT, **SMOOTH), buf("in", "f32", floats(600, -0.2, 1.2)), out("out", "f32", 600), s32("n", 150)]),
    case("tex_grade_bytes", "textures", "grade_colors", 1, 64,
         [texture("table", "u8", (4, 4, 4), bits(256, 8), 4, **SMOOTH, **FRACTIONS, address="border"), buf("in", "f32", floats(200, -1, 5)), out("out", "f32", 200), s32("n", 50)]),
    case("tex_blend_layers", "textures", "blend_layers", (2, 2), (16, 8),
         [texture("layers", "f32", (15, 9), whole_floats(675, 0, 99), layers=5, **SMOOTH), out("out", "f32", 270), extent(30, 9), s32("count", 7)]),
    case("tex_strips", "textures", "strips", 1, 32,
         [texture("layers", "s16", (20,), bits(120, 16), 2, layers=3), out("out", "s16", 250), s32("width", 25), s32("count", 5)]),
    case("tex_gather_edges", "textures", "gather_edges", (2, 2), (16, 8),
         [flat("f32", 19, 11, 2), out("out", "f32", 22 * 14), extent(22, 14)]),
    case("tex_fetch_sparse", "textures", "fetch_sparse", 1, 64,
         [texture("vector", "f32", (100,), whole_floats(100, -9, 9), linear=True), buf("rows", "s32", lambda s: [3 * i for i in range(41)]),
          buf("columns", "s32", ints(120, 0, 99)), buf("values", "f32", whole_floats(120, -9, 9)), out("out", "f32", 40), s32("n", 40)]),
    case("tex_interpolate_table", "textures", "interpolate_table", 2, 64,
         [texture("table", "f16", (33,), halves(66, -2, 2), 2, **SMOOTH, **UNIT, address="wrap"), buf("x", "f32", floats(128, -3, 3)), out("out", "f32", 256), s32("n", 128)]),
    case("tex_choose_texture", "textures", "choose_texture", 1, 96,
         [texture("a", "f32", (9, 7), floats(63, 0, 1)), texture("b", "f32", (30, 12), floats(360, 0, 1), **SMOOTH),
          texture("c", "u8", (3, 3), bits(9, 8), **FRACTIONS, **UNIT, address="wrap"), buf("which", "s32", ints(90, 0, 2)), out("out", "f32", 90), s32("n", 90)]),
    case("tex_shared_edges", "textures", "shared_edges", (2, 3), 32, [flat("f32", 60, 3), out("out", "f32", 192), s32("width", 64)]),
    case("surf_paint", "surfaces", "paint_surface", (2, 2), (16, 8), [surface("image", "u8", (21, 13), bits(1092, 8), 4), s32("width", 21), s32("height", 13)]),
    case("surf_blur", "surfaces", "blur_surface", (2, 2), (16, 8),
         [surface("from", "f32", (22, 12), whole_floats(264, -99, 99)), surface("to", "f32", (22, 12), lambda s: [0.0] * 264), s32("width", 22), s32("height", 12)]),
    case("surf_shift", "surfaces", "shift_surface", (2, 2), (16, 8),
         [surface("image", "u16", (20, 10), bits(400, 16), 2), out("out", "u16", 400), s32("width", 20), s32("height", 10), s32("dx", -3), s32("dy", 2)]),
    case("surf_volume", "surfaces", "fill_volume", 2, 64,
         [surface("volume", "f32", (5, 4, 4), floats(320, 0, 1), 4), buf("in", "f32", floats(400, -9, 9)), s32("width", 5), s32("height", 5), s32("depth", 4)]),
    case("surf_layers", "surfaces", "copy_layers", 1, 32,
         [surface("from", "s16", (18, 2), bits(108, 16), layers=3), surface("to", "u8", (18,), bits(54, 8), layers=3), s32("width", 18), s32("layers", 3)]),
    case("surf_scatter", "surfaces", "scatter_texels", 3, 64,
         [surface("image", "u32", (32, 8), ints(256, 0, 999)), buf("where", "s32", ints(192, 0, 479)), buf("what", "u32", bits(192)), s32("n", 192)]),
    case("surf_formatted", "surfaces", "store_formatted", 1, 64,
         [surface("image", "f16", (40,), halves(160, 0, 1), 4), buf("in", "f32", floats(176, -70000, 70000)), s32("n", 44)]),
    case("surf_formatted_bytes", "surfaces", "store_formatted", 1, 64,
         [surface("image", "u8", (40,), bits(160, 8), 4), buf("in", "u32", ints(176, 0, 600)), s32("n", 44)]),
    case("surf_sizes", "surfaces", "sizes", 1, 32, [flat("f32", 33, 7), surface("surface", "u16", (12, 5), bits(120, 16), 2), out("out", "s32", 256)]),
)
