"""Kernels for sm_90, whose matrix products Triton compiles to `wgmma`. Tiles have at least 64 rows."""

import triton
import triton.language as tl


@triton.jit
def product(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, TRANSPOSED: tl.constexpr):
    """c = a b, or a times the transpose of b, by pointers. Loads are asynchronous copies, some stages ahead. Edges are masked."""
    row = tl.program_id(0) * BM + tl.arange(0, BM)
    column = tl.program_id(1) * BN + tl.arange(0, BN)
    inner = tl.arange(0, BK)
    x = a + row[:, None] * k + inner[None, :]
    y = b + (column[None, :] * k + inner[:, None] if TRANSPOSED else inner[:, None] * n + column[None, :])
    total = tl.zeros((BM, BN), tl.int32 if a.dtype.element_ty == tl.int8 else tl.float32)
    for start in range(0, k, BK):
        left = k - start
        u = tl.load(x, mask=(row[:, None] < m) & (inner[None, :] < left), other=0.0)
        v = tl.load(y, mask=(inner[:, None] < left) & (column[None, :] < n), other=0.0)
        total = tl.dot(u, v, total, out_dtype=total.dtype)
        x += BK
        y += BK if TRANSPOSED else BK * n
    tl.store(c + row[:, None] * n + column[None, :], total, mask=(row[:, None] < m) & (column[None, :] < n))


@triton.jit
def described(a, b, c, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """The same by tensor descriptors of the host: a and b by rows."""
    row = tl.program_id(0) * BM
    column = tl.program_id(1) * BN
    total = tl.zeros((BM, BN), tl.float32)
    for start in range(0, k, BK):
        total = tl.dot(a.load([row, start]), b.load([start, column]), total)
    c.store([row, column], total.to(tl.float16))


@triton.jit
def persistent(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, PROGRAMS: tl.constexpr):
    """Each program computes several tiles. It makes its descriptors itself. b is transposed."""
    x = tl.make_tensor_descriptor(a, shape=[m, k], strides=[k, 1], block_shape=[BM, BK])
    y = tl.make_tensor_descriptor(b, shape=[n, k], strides=[k, 1], block_shape=[BN, BK])
    z = tl.make_tensor_descriptor(c, shape=[m, n], strides=[n, 1], block_shape=[BM, BN])
    columns = tl.cdiv(n, BN)
    for tile in tl.range(tl.program_id(0), tl.cdiv(m, BM) * columns, PROGRAMS, flatten=True):
        row = tile // columns * BM
        column = tile % columns * BN
        total = tl.zeros((BM, BN), tl.float32)
        for start in range(0, k, BK):
            total = tl.dot(x.load([row, start]), y.load([column, start]).T, total)
        z.store([row, column], total.to(tl.float16))


@triton.jit
def specialized(a, b, c, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Warps of their own load the tiles, by descriptors of the host, and a warpgroup multiplies them."""
    row = tl.program_id(0) * BM
    column = tl.program_id(1) * BN
    total = tl.zeros((BM, BN), tl.float32)
    for start in tl.range(0, k, BK, warp_specialize=True):
        total = tl.dot(a.load([row, start]), b.load([start, column]), total)
    c.store([row, column], total.to(tl.float16))


@triton.jit
def partitioned(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """The same with two warpgroups, each of which multiplies half of the rows, and descriptors that the kernel makes."""
    x = tl.make_tensor_descriptor(a, shape=[m, k], strides=[k, 1], block_shape=[BM, BK])
    y = tl.make_tensor_descriptor(b, shape=[k, n], strides=[n, 1], block_shape=[BK, BN])
    row = tl.program_id(0) * BM
    column = tl.program_id(1) * BN
    total = tl.zeros((BM, BN), tl.float32)
    for start in tl.range(0, k, BK, warp_specialize=True):
        total = tl.dot(x.load([row, start]), y.load([start, column]), total)
    rows = row + tl.arange(0, BM)
    columns = column + tl.arange(0, BN)
    tl.store(c + rows[:, None] * n + columns[None, :], total.to(tl.float16), mask=(rows[:, None] < m) & (columns[None, :] < n))


@triton.jit
def attention(q, k, v, out, length, scale, BM: tl.constexpr, BN: tl.constexpr, WIDTH: tl.constexpr, CAUSAL: tl.constexpr):
    """softmax(q kT) v of one head per program in y, with an online softmax. `length` need not be a multiple of the tiles."""
    head = tl.program_id(1) * length * WIDTH
    row = tl.program_id(0) * BM + tl.arange(0, BM)
    at = tl.arange(0, WIDTH)
    queries = tl.load(q + head + row[:, None] * WIDTH + at[None, :], mask=row[:, None] < length, other=0.0)
    top = tl.full((BM,), -1.0e30, tl.float32)
    total = tl.zeros((BM,), tl.float32)
    values = tl.zeros((BM, WIDTH), tl.float32)
    end = tl.minimum(length, (tl.program_id(0) + 1) * BM) if CAUSAL else length
    for start in range(0, end, BN):
        key = start + tl.arange(0, BN)
        keys = tl.load(k + head + key[None, :] * WIDTH + at[:, None], mask=key[None, :] < length, other=0.0)
        scores = tl.dot(queries, keys) * (scale * 1.44269504)
        seen = key[None, :] < length
        if CAUSAL:
            seen = seen & (key[None, :] <= row[:, None])
        scores = tl.where(seen, scores, -1.0e30)
        higher = tl.maximum(top, tl.max(scores, 1))
        weights = tl.exp2(scores - higher[:, None])
        shrink = tl.exp2(top - higher)
        total = total * shrink + tl.sum(weights, 1)
        rows = tl.load(v + head + key[:, None] * WIDTH + at[None, :], mask=key[:, None] < length, other=0.0)
        values = tl.dot(weights.to(rows.dtype), rows, values * shrink[:, None])
        top = higher
    tl.store(out + head + row[:, None] * WIDTH + at[None, :], values / total[:, None], mask=row[:, None] < length)
