"""Attention in one kernel: f16 products, f32 sums, exponentials accurate to a few bits."""

from .inputs import buf, case, floats, out, scalar

CLOSE = {"rel": 2.0**-8, "abs": 2.0**-9}
DEPTH = 32


def attention(id, entry, n, heads, grid, block):
    size = heads * n * DEPTH
    return case(id, "attention", entry, (grid, heads), block,
                [buf("q", "f16", floats(size, -2, 2)), buf("k", "f16", floats(size, -2, 2)), buf("v", "f16", floats(size, -1, 1)),
                 out("out", "f16", size, CLOSE), scalar("s32", "n", n), scalar("f32", "scale", 0.25)])


CASES = [
    attention("attention", "attention", 64, 2, 1, 128),
    attention("attention_odd", "attention", 45, 1, 2, 64),
    attention("attention_causal", "attention_causal", 64, 1, 2, 64),
    attention("attention_causal_odd", "attention_causal", 77, 1, 3, 64),
]
