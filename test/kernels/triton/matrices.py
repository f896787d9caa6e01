"""Kernels with matrix products. Matrices are stored by rows; sizes are arbitrary, so edges are masked."""

import triton
import triton.language as tl


@triton.jit
def matmul(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, TRANSPOSED: tl.constexpr):
    """c = a b, or a times the transpose of b. Sums are in f32, or in s32 for bytes."""
    row = tl.program_id(0) * BM + tl.arange(0, BM)
    column = tl.program_id(1) * BN + tl.arange(0, BN)
    inner = tl.arange(0, BK)
    total = tl.zeros((BM, BN), tl.int32 if a.dtype.element_ty == tl.int8 else tl.float32)
    for start in range(0, k, BK):
        x = tl.load(a + row[:, None] * k + (start + inner)[None, :], mask=(row[:, None] < m) & (start + inner[None, :] < k), other=0.0)
        mask = (start + inner[:, None] < k) & (column[None, :] < n)
        if TRANSPOSED:
            y = tl.load(b + column[None, :] * k + (start + inner)[:, None], mask=mask, other=0.0)
        else:
            y = tl.load(b + (start + inner)[:, None] * n + column[None, :], mask=mask, other=0.0)
        total = tl.dot(x, y, total, out_dtype=total.dtype)
    tl.store(c + row[:, None] * n + column[None, :], total, mask=(row[:, None] < m) & (column[None, :] < n))


@triton.jit
def matmul_pipelined(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, PRECISION: tl.constexpr):
    """The same for sizes that blocks divide. Loads are asynchronous copies, some stages ahead."""
    row = tl.program_id(0) * BM + tl.arange(0, BM)
    column = tl.program_id(1) * BN + tl.arange(0, BN)
    inner = tl.arange(0, BK)
    x = a + row[:, None] * k + inner[None, :]
    y = b + inner[:, None] * n + column[None, :]
    total = tl.zeros((BM, BN), tl.int32 if a.dtype.element_ty == tl.int8 else tl.float32)
    for _ in range(0, k, BK):
        total = tl.dot(tl.load(x), tl.load(y), total, PRECISION, out_dtype=total.dtype)
        x += BK
        y += BK * n
    tl.store(c + row[:, None] * n + column[None, :], total)


@triton.jit
def linear_gelu(x, weights, bias, out, rows, width, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """gelu(x W^T + b), with W in rows of `width`. A block has all columns."""
    row = tl.program_id(0) * BM + tl.arange(0, BM)
    column = tl.arange(0, BN)
    inner = tl.arange(0, BK)
    total = tl.zeros((BM, BN), tl.float32)
    for start in range(0, width, BK):
        v = tl.load(x + row[:, None] * width + (start + inner)[None, :], mask=row[:, None] < rows, other=0.0)
        w = tl.load(weights + column[None, :] * width + (start + inner)[:, None])
        total = tl.dot(v, w, total)
    total += tl.load(bias + column)[None, :].to(tl.float32)
    total = total * 0.5 * (1 + tl.erf(total * 0.70710678118654752))
    tl.store(out + row[:, None] * BN + column[None, :], total, mask=row[:, None] < rows)


@triton.jit
def grouped(a, b, c, starts, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Rows starts[g] to starts[g + 1] of a, times matrix g of b (experts)."""
    group = tl.program_id(1)
    first = tl.load(starts + group)
    last = tl.load(starts + group + 1)
    column = tl.arange(0, BN)
    inner = tl.arange(0, BK)
    row = first + tl.program_id(0) * BM + tl.arange(0, BM)
    total = tl.zeros((BM, BN), tl.float32)
    for start in range(0, k, BK):
        x = tl.load(a + row[:, None] * k + (start + inner)[None, :], mask=row[:, None] < last, other=0.0)
        y = tl.load(b + group * k * n + (start + inner)[:, None] * n + column[None, :], mask=column[None, :] < n, other=0.0)
        total = tl.dot(x, y, total, out_dtype=total.dtype)
    tl.store(c + row[:, None] * n + column[None, :], total, mask=(row[:, None] < last) & (column[None, :] < n))


@triton.jit
def split_k(a, b, c, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Programs process parts of k, and add their sums atomically."""
    row = tl.arange(0, BM)
    column = tl.program_id(0) * BN + tl.arange(0, BN)
    inner = tl.program_id(1) * BK + tl.arange(0, BK)
    x = tl.load(a + row[:, None] * k + inner[None, :])
    y = tl.load(b + inner[:, None] * n + column[None, :])
    tl.atomic_add(c + row[:, None] * n + column[None, :], tl.dot(x, y))


@triton.jit
def attention(q, k, v, out, sums, length, scale, BM: tl.constexpr, BN: tl.constexpr, WIDTH: tl.constexpr, CAUSAL: tl.constexpr):
    """Flash attention: a block of queries, all keys in blocks, with an online softmax. `sums` are the logarithms, for the gradients."""
    head = tl.program_id(1) * length * WIDTH
    row = tl.program_id(0) * BM + tl.arange(0, BM)
    at = tl.arange(0, WIDTH)
    queries = tl.load(q + head + row[:, None] * WIDTH + at[None, :], mask=row[:, None] < length, other=0.0)
    top = tl.full((BM,), -float("inf"), tl.float32)
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
        scores = tl.where(seen, scores, -float("inf"))
        higher = tl.maximum(top, tl.max(scores, 1))
        weights = tl.exp2(scores - higher[:, None])
        shrink = tl.exp2(top - higher)
        total = total * shrink + tl.sum(weights, 1)
        rows = tl.load(v + head + key[:, None] * WIDTH + at[None, :], mask=key[:, None] < length, other=0.0)
        values = tl.dot(weights.to(rows.dtype), rows, values * shrink[:, None])
        top = higher
    tl.store(out + head + row[:, None] * WIDTH + at[None, :], values / total[:, None], mask=row[:, None] < length)
    tl.store(sums + tl.program_id(1) * length + row, top + tl.log2(total), mask=row < length)


@triton.jit
def attention_backward(q, k, v, gradient, sums, deltas, dq, dk, dv, length, scale, BM: tl.constexpr, BN: tl.constexpr, WIDTH: tl.constexpr):
    """A block of keys, all queries in blocks. dk and dv are summed here, dq is added atomically."""
    head = tl.program_id(1) * length * WIDTH
    key = tl.program_id(0) * BN + tl.arange(0, BN)
    at = tl.arange(0, WIDTH)
    keys = tl.load(k + head + key[:, None] * WIDTH + at[None, :])
    values = tl.load(v + head + key[:, None] * WIDTH + at[None, :])
    key_gradient = tl.zeros((BN, WIDTH), tl.float32)
    value_gradient = tl.zeros((BN, WIDTH), tl.float32)
    for start in range(0, length, BM):
        row = start + tl.arange(0, BM)
        queries = tl.load(q + head + row[:, None] * WIDTH + at[None, :])
        rows = tl.load(gradient + head + row[:, None] * WIDTH + at[None, :])
        total = tl.load(sums + tl.program_id(1) * length + row)
        delta = tl.load(deltas + tl.program_id(1) * length + row)
        weights = tl.exp2(tl.dot(queries, tl.trans(keys)) * (scale * 1.44269504) - total[:, None])
        value_gradient = tl.dot(tl.trans(weights.to(rows.dtype)), rows, value_gradient)
        slopes = (weights * (tl.dot(rows, tl.trans(values)) - delta[:, None]) * scale).to(queries.dtype)
        key_gradient = tl.dot(tl.trans(slopes), queries, key_gradient)
        tl.atomic_add(dq + head + row[:, None] * WIDTH + at[None, :], tl.dot(slopes, keys))
    tl.store(dk + head + key[:, None] * WIDTH + at[None, :], key_gradient)
    tl.store(dv + head + key[:, None] * WIDTH + at[None, :], value_gradient)


@triton.jit
def attention_delta(out, gradient, deltas, length, BM: tl.constexpr, WIDTH: tl.constexpr):
    row = tl.program_id(0) * BM + tl.arange(0, BM)
    at = tl.arange(0, WIDTH)
    o = tl.load(out + row[:, None] * WIDTH + at[None, :], mask=row[:, None] < length, other=0.0).to(tl.float32)
    g = tl.load(gradient + row[:, None] * WIDTH + at[None, :], mask=row[:, None] < length, other=0.0).to(tl.float32)
    tl.store(deltas + row, tl.sum(o * g, 1), mask=row < length)
