"""Element-wise kernels."""

import triton
import triton.language as tl
from triton.language.extra.cuda import libdevice


@triton.jit
def add(a, b, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(a + at, mask=at < n) + tl.load(b + at, mask=at < n), mask=at < n)


@triton.jit
def gelu(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < n, other=0.0).to(tl.float32)
    tl.store(out + at, v * 0.5 * (1 + tl.erf(v * 0.70710678118654752)), mask=at < n)


@triton.jit
def gelu_tanh(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < n, other=0.0).to(tl.float32)
    tl.store(out + at, 0.5 * v * (1 + libdevice.tanh(0.7978845608 * (v + 0.044715 * v * v * v))), mask=at < n)


@triton.jit
def dropout(x, out, kept, n, p, seed, BLOCK: tl.constexpr):
    """Philox: the same seed drops the same elements on every device."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < n, other=0.0)
    keep = tl.rand(seed, at) > p
    tl.store(out + at, tl.where(keep, v / (1 - p), 0.0), mask=at < n)
    tl.store(kept + at, keep.to(tl.int8), mask=at < n)


@triton.jit
def random(words, numbers, normal, n, seed, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a, b, c, d = tl.randint4x(seed, at)
    tl.store(words + 4 * at, a, mask=at < n)
    tl.store(words + 4 * at + 1, b, mask=at < n)
    tl.store(words + 4 * at + 2, c, mask=at < n)
    tl.store(words + 4 * at + 3, d, mask=at < n)
    tl.store(numbers + at, tl.rand(seed, at + n), mask=at < n)
    tl.store(normal + at, tl.randn(seed, at + 2 * n), mask=at < n)


@triton.jit
def silu_product(gate, up, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    g = tl.load(gate + at, mask=at < n, other=0.0).to(tl.float32)
    u = tl.load(up + at, mask=at < n, other=0.0)
    tl.store(out + at, (g * tl.sigmoid(g)).to(u.dtype) * u, mask=at < n)


@triton.jit
def quantize(x, out, scales, n, BLOCK: tl.constexpr):
    """A block of halves to bytes and their scale."""
    block = tl.program_id(0)
    at = block * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < n, other=0.0).to(tl.float32)
    scale = tl.maximum(tl.max(tl.abs(v), 0), 1e-8) / 127
    q = libdevice.rint(v / scale).to(tl.int8)
    tl.store(out + at, q, mask=at < n)
    tl.store(scales + block, scale)


@triton.jit
def adam(parameter, gradient, mean, square, n, rate, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    g = tl.load(gradient + at, mask=at < n, other=0.0).to(tl.float32)
    m = 0.9 * tl.load(mean + at, mask=at < n, other=0.0) + 0.1 * g
    s = 0.999 * tl.load(square + at, mask=at < n, other=0.0) + 0.001 * g * g
    p = tl.load(parameter + at, mask=at < n, other=0.0).to(tl.float32)
    tl.store(mean + at, m, mask=at < n)
    tl.store(square + at, s, mask=at < n)
    tl.store(parameter + at, p - rate * m / (tl.sqrt_rn(s) + 1e-8), mask=at < n)


@triton.jit
def rotary(x, out, cosines, sines, half, BLOCK: tl.constexpr):
    """Rotary position embedding of a row, whose halves are the real and imaginary parts."""
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    mask = at < half
    re = tl.load(x + row * 2 * half + at, mask=mask, other=0.0).to(tl.float32)
    im = tl.load(x + row * 2 * half + half + at, mask=mask, other=0.0).to(tl.float32)
    c = tl.load(cosines + row * half + at, mask=mask, other=0.0)
    s = tl.load(sines + row * half + at, mask=mask, other=0.0)
    tl.store(out + row * 2 * half + at, re * c - im * s, mask=mask)
    tl.store(out + row * 2 * half + half + at, re * s + im * c, mask=mask)
