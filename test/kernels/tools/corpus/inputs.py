"""Case rows and seeded inputs.

A generator is a function from a Stream to a list of numbers. A case's buffers are drawn in parameter
order from one Stream, seeded by the case's id, so a case never depends on another.
"""

import base64
import struct

FORMATS = {
    "u8": "B", "s8": "b", "u16": "H", "s16": "h", "u32": "I", "s32": "i",
    "u64": "Q", "s64": "q", "f16": "e", "bf16": "H", "f32": "f", "f64": "d",
}
MASK = (1 << 64) - 1


class Stream:
    """splitmix64, seeded by a string, so it is stable over Python versions."""

    def __init__(self, text):
        self.state = 0xCBF29CE484222325
        for byte in text.encode():
            self.state = ((self.state ^ byte) * 0x100000001B3) & MASK

    def word(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def below(self, n):
        return self.word() % n

    def unit(self):
        return (self.word() >> 40) / (1 << 24)


def ints(n, low, high):
    """n integers in [low, high]."""
    return lambda s: [low + s.below(high - low + 1) for _ in range(n)]


def floats(n, low, high):
    """n numbers in [low, high), with 24 random bits each."""
    return lambda s: [low + (high - low) * s.unit() for _ in range(n)]


def whole_floats(n, low, high):
    """n integers as floats, whose sums are exact in any order."""
    return lambda s: [float(low + s.below(high - low + 1)) for _ in range(n)]


def drawn(text, generator):
    """Numbers from a generator seeded by a string, for tables that compute with them."""
    return generator(Stream(text))


def bits(n, width=32):
    """n integers with all `width` bits random."""
    return lambda s: [s.word() >> (64 - width) for _ in range(n)]


def sorted_ints(n, low, high):
    return lambda s: sorted(ints(n, low, high)(s))


def listed(values):
    """The given values only."""
    return lambda s: list(values)


def mixed(n, special, width=32):
    """The special values first, then random bits; always n of them."""
    return lambda s: (list(special) + bits(n, width)(s))[:n]


def text(n, alphabet):
    """n bytes drawn from the alphabet."""
    return lambda s: [ord(alphabet[s.below(len(alphabet))]) for _ in range(n)]


def bfloat(value):
    """The bits of the nearest bf16, ties to even. The value must not be a NaN."""
    bits = struct.unpack("<I", struct.pack("<f", value))[0]
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16


def encode(kind, values):
    code = FORMATS[kind]
    if kind == "bf16":
        values = [bfloat(v) for v in values]
    if code in "efd":
        return struct.pack(f"<{len(values)}{code}", *values)
    size = struct.calcsize("<" + code) * 8
    unsigned = [v & ((1 << size) - 1) for v in values]
    return struct.pack(f"<{len(values)}{code.upper()}", *unsigned)


def buf(name, kind, generator, tolerance=None):
    """A buffer with contents. The kernel may also write it."""
    return {"name": name, "kind": "buffer", "type": kind, "generator": generator, "tolerance": tolerance}


def out(name, kind, count, tolerance=None, expect=None):
    """A buffer of `count` zeros. `expect` has the numbers that the launch must store there."""
    size = struct.calcsize("<" + FORMATS[kind]) * count
    told = {} if expect is None else {"expect": expect}
    return {"name": name, "kind": "buffer", "type": kind, "bytes": size, "tolerance": tolerance, **told}


def scalar(kind, name, value):
    return {"name": name, "kind": kind, "value": value}


def struct_param(name, layout, *values):
    """A struct passed by value. `layout` is for struct.pack, with explicit padding bytes (x)."""
    data = base64.b64encode(struct.pack("<" + layout, *values)).decode()
    return {"name": name, "kind": "bytes", "data": data}


def tensor_map(name, to, type, sizes, box, **more):
    """A tensor map of the tensor in parameter `to`, with the members of the case format."""
    return {"name": name, "kind": "tensormap", "to": to, "type": type, "sizes": sizes, "box": box, **more}


def pixel_map(name, to, type, sizes, lower, upper, channels, pixels, **more):
    """A tensor map in im2col mode."""
    return {"name": name, "kind": "tensormap", "to": to, "type": type, "sizes": sizes, "im2col": {"lower": lower, "upper": upper, "channels": channels, "pixels": pixels}, **more}


def case(id, ptx, entry, grid, block, params, shared=0, **told):
    """`told`: `cooperative`; `cluster`, the blocks of a cluster; `fails`, the text of the error that the launch must report."""
    def three(v):
        v = (v,) if isinstance(v, int) else tuple(v)
        return list(v + (1,) * (3 - len(v)))

    return {
        "id": id, "ptx": ptx + ".ptx", "entry": entry, "grid": three(grid), "block": three(block),
        "shared": shared, "params": params, "told": told,
    }


APPROXIMATE = {"rel": 1e-5, "abs": 1e-6}
