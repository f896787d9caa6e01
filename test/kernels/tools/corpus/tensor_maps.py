"""cp.async.bulk.tensor: boxes of tensors that tensor maps describe. Words tell where each element comes from."""

from math import ceil, prod

from .inputs import bits, buf, case, listed, mixed, out, scalar, tensor_map, whole_floats

BYTES = {"u8": 1, "u16": 2, "f16": 2, "bf16": 2, "u32": 4, "s32": 4, "f32": 4, "f32.ftz": 4, "tf32": 4, "tf32.ftz": 4, "u64": 8, "s64": 8, "f64": 8}
BUFFERS = {"f32.ftz": "f32", "tf32": "f32", "tf32.ftz": "f32"}
SPANS = {"none": 0, "32B": 32, "64B": 64, "128B": 128}
# Signaling and quiet NaNs, infinities, subnormals, zeros, and numbers that TF32 cannot represent.
SPECIAL = [0x7F800001, 0xFFC00123, 0x7F800000, 0xFF800000, 0x00000001, 0x807FFFFF, 0x80000000, 0, 0x3F800FFF, 0x3F801000, 0x3F801001, 0xBF803000, 0x7F7FFFFF]


def box_bytes(type, box, elementStrides=None, **_):
    strides = elementStrides or [1] * len(box)
    rows = prod(ceil(b / s) for b, s in zip(box[1:], strides[1:]))
    return rows * box[0] * BYTES[type]


def words_of(type, sizes):
    return ceil(prod(sizes) * BYTES[type] / 4)


def coordinates(at):
    return [scalar("s32", f"c{i}", c) for i, c in enumerate([*at, 0, 0, 0, 0, 0][:5])]


def load(name, type, sizes, box, at, place=0, data=None, **more):
    count = box_bytes(type, box, **more)
    words = data or bits(words_of(type, sizes))
    return case(f"tmap_{name}", "tensor_maps", f"tensor_load_{len(sizes)}d", (1, 1), 32,
                [tensor_map("map", 9, type, sizes, box, **more), out("out", "u32", count // 4), scalar("u32", "bytes", count), scalar("u32", "at", place), *coordinates(at), {**buf("tensor", "u32", words), "kind": "memory"}])


def store(name, entry, type, sizes, box, at, data=None, tensor=None, **more):
    count = box_bytes(type, box, **more)
    return case(f"tmap_{name}", "tensor_maps", entry, (1, 1), 32,
                [tensor_map("map", 8, type, sizes, box, **more), buf("from", "u32", data or bits(count // 4)), scalar("u32", "bytes", count), *coordinates(at), {**buf("tensor", "u32", tensor or bits(words_of(type, sizes))), "kind": "memory"}])


SHAPES = {1: [300], 2: [40, 30], 3: [24, 12, 10], 4: [16, 8, 7, 6], 5: [16, 6, 5, 4, 3]}
BOXES = {1: [32], 2: [16, 7], 3: [16, 5, 4], 4: [8, 5, 4, 3], 5: [8, 4, 3, 2, 2]}
TYPES = ("u8", "u32", "s32", "u64", "s64", "f16", "bf16", "f32", "f64", "f32.ftz", "tf32", "tf32.ftz")
flat = lambda n: listed([2 * i + ((2 * i + 1) << 16) for i in range(n)])
special = lambda n: mixed(n, SPECIAL)
floats = lambda n: listed([0x3F800000 + ((i * 37) % 64 << 16) for i in range(n)])


def places(rank):
    """In the tensor, and over edges of it."""
    return [8, 1, 1, 1, 0][:rank], ([-8, -1, 8] if rank < 4 else [8, -1, 1, -1, 2])[:rank]


LOADS = [
    *(load(f"load_{rank}d{suffix}", "u16", SHAPES[rank], BOXES[rank], at, data=flat(words_of("u16", SHAPES[rank])))
      for rank in (2, 3, 4, 5) for suffix, at in zip(("", "_odd"), places(rank))),
    load("load_1d", "u16", SHAPES[1], BOXES[1], [8], data=flat(words_of("u16", SHAPES[1]))),
    *(load(f"steps_{rank}d", "u16", SHAPES[rank], BOXES[rank], [-8 if rank == 2 else 8, -1, 1, 2, 0][:rank], data=flat(words_of("u16", SHAPES[rank])), elementStrides=[1, 2, 3, 2, 1][:rank]) for rank in (2, 4, 5)),
    *(load(f"type_{type.replace('.', '_')}", type, [64 // BYTES[type], 9], [32 // BYTES[type], 10], [-16 // BYTES[type], 2], data=special(144), fill="nan" if "f" in type else "zeros") for type in TYPES),
    *(load(f"swizzle_{swizzle}", "u16", [64, 20, 3], [SPANS[swizzle] // 2, 9, 2], [8, 1, 0], place=place, data=flat(64 * 20 * 3 // 2), swizzle=swizzle) for swizzle, place in (("32B", 128), ("64B", 256), ("128B", 0), ("128B", 640)) if not (swizzle == "128B" and place)),
    load("swizzle_narrow", "u16", [64, 20], [24, 18], [0, 1], place=640, data=flat(64 * 10), swizzle="128B"),
    load("swizzle_edge", "u8", [100, 20], [128, 9], [-16, 14], data=bits(words_of("u8", [112, 20])), swizzle="128B", strides=[112]),
    load("whole", "u32", [16, 12], [16, 12], [0, 0], data=bits(16 * 12)),
]
STORES = [
    *(store(f"store_{rank}d{suffix}", f"tensor_store_{rank}d", "u16", SHAPES[rank], BOXES[rank], at) for rank in (2, 3, 4, 5) for suffix, at in [("", places(rank)[0])]),
    store("store_2d_odd", "tensor_store_2d", "u16", SHAPES[2], BOXES[2], [32, 27]),
    store("store_swizzle", "tensor_store_2d", "u16", [72, 20], [64, 9], [16, 14], swizzle="128B"),
    store("store_steps", "tensor_store_3d", "u32", [8, 9, 5], [4, 7, 4], [4, 1, 0], elementStrides=[1, 2, 3]),
    *(store(f"store_{type.replace('.', '_')}", "tensor_store_2d", type, [16, 9], [8, 6], [12, 4], data=special(8 * 6)) for type in ("f32.ftz", "tf32.ftz")),
]
ORDERED = ("u32", "s32", "u64", "s64", "f16", "bf16")
REDUCTIONS = {"add": ("u32", "s32", "u64", "f16", "bf16", "f32", "f64"), "min": ORDERED, "max": ORDERED, "inc": ("u32",), "dec": ("u32",), "and": ("u32", "u64"), "or": ("u32",), "xor": ("u64",)}


def numbers(type, op, n):
    """Bits, except sums of types whose NaNs differ: ordinary numbers."""
    if type in ("f16", "bf16"):
        return lambda s: [word & 0xBFFFBFFF if op != "add" else word & 0xBBFFBBFF for word in bits(n)(s)]
    if type == "f32":
        return lambda s: [word & 0xBFFFFFFF for word in bits(n)(s)]
    if type == "f64":
        return lambda s: [word & 0xBFFFFFFF for word in bits(n)(s)]
    return bits(n)


def reduction(op, type):
    per = 32 // BYTES[type]
    if BYTES[type] < 8:
        # Rows without padding, which hardware would also update.
        sizes = [per * 3 // 2, 9]
        return store(f"{op}_{type}", f"tensor_{op}", type, sizes, [per // 2, 6], [per, 4], data=numbers(type, op, 24), tensor=numbers(type, op, words_of(type, sizes)))
    return store(f"{op}_{type}", f"tensor_{op}", type, [per + 3 + per % 2, 9], [per // 2, 6], [per, 4], data=numbers(type, op, per // 2 * 6 * BYTES[type] // 4),
                 tensor=numbers(type, op, words_of(type, [(per + 3 + per % 2), 9]) + 64), strides=[(per + 3 + per % 2) * BYTES[type] + 15 & ~15])


M, N, K = 100, 56, 200
GEMM = case("tmap_gemm", "tensor_maps", "tensor_gemm", ((N + 31) // 32, (M + 63) // 64), 128,
            [tensor_map("a", 4, "f16", [K, M], [64, 64], swizzle="128B"), tensor_map("b", 5, "f16", [N, K], [32, 64], swizzle="64B"), tensor_map("c", 6, "f32", [N, M], [32, 64]), scalar("s32", "k", K),
             {**buf("a_memory", "f16", whole_floats(M * K, -9, 9)), "kind": "memory"}, {**buf("b_memory", "f16", whole_floats(K * N, -9, 9)), "kind": "memory"}, {**out("c_memory", "f32", M * N), "kind": "memory"}])
BUILT = case("tmap_built", "tensor_maps", "tensor_built", (1, 1), 32,
             [out("map", "u32", 32), buf("tensor", "f16", whole_floats(40 * 9, -99, 99)), out("out", "u32", 32), scalar("s32", "width", 40), scalar("s32", "height", 9), scalar("s32", "c0", 32), scalar("s32", "c1", -1)])

CASES = [*LOADS, *STORES, *(reduction(op, type) for op, types in REDUCTIONS.items() for type in types), GEMM, BUILT]
