"""Forms of instructions that nvcc writes for no source."""

from .inputs import bits, buf, case, floats, mixed, out
from .numbers import s32
from .textures import halves, texture

EDGES = [0, 0x7FFF8000, 0x80007FFF, 0x7F7F8080, 0xFFFFFFFF, 0x0001FFFF, 0x80000000, 0x7FFFFFFF, 0x1F051F00]

CASES = [
    case("forms_video", "forms", "forms_video", 2, 64, [
        buf("a", "u32", mixed(120, EDGES)), buf("b", "u32", mixed(120, EDGES[::-1])), buf("c", "u32", bits(120)), out("out", "u32", 12 * 120), s32("n", 120)]),
    case("forms_texture", "forms", "forms_texture", 2, 64, [
        texture("image", "f16", [9, 7], halves(9 * 7 * 4, -4, 4), channels=4, filter="linear", address="mirror", normalizedCoordinates=True),
        buf("at", "f32", floats(2 * 100, -1.25, 2.5)), out("out", "u32", 14 * 100), s32("n", 100)]),
    case("forms_mbarrier", "forms", "forms_mbarrier", 2, 64, [buf("in", "u32", bits(128)), out("out", "u32", 4 * 128)]),
    case("forms_hints", "forms", "forms_hints", 2, 64, [buf("in", "u32", bits(512)), out("out", "u32", 512)]),
    case("forms_mma", "forms", "forms_mma", 1, 32, [buf("in", "u32", bits(6 * 32)), out("out", "u32", 14 * 32)]),
]
