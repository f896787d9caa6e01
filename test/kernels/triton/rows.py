"""Kernels in which a program has one row or a few rows."""

import triton
import triton.language as tl


@triton.jit
def softmax(x, out, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    v = tl.load(x + row * width + at, mask=at < width, other=-float("inf")).to(tl.float32)
    e = tl.exp(v - tl.max(v, 0))
    tl.store(out + row * width + at, e / tl.sum(e, 0), mask=at < width)


@triton.jit
def softmax_online(x, out, width, BLOCK: tl.constexpr):
    """A row of any width in blocks, with a running maximum and sum."""
    row = tl.program_id(0)
    top = -float("inf")
    total = 0.0
    for start in range(0, width, BLOCK):
        at = start + tl.arange(0, BLOCK)
        v = tl.load(x + row * width + at, mask=at < width, other=-float("inf")).to(tl.float32)
        higher = tl.maximum(top, tl.max(v, 0))
        total = total * tl.exp(top - higher) + tl.sum(tl.exp(v - higher), 0)
        top = higher
    for start in range(0, width, BLOCK):
        at = start + tl.arange(0, BLOCK)
        v = tl.load(x + row * width + at, mask=at < width, other=0.0).to(tl.float32)
        tl.store(out + row * width + at, tl.exp(v - top) / total, mask=at < width)


@triton.jit
def layer_norm(x, gain, bias, out, means, deviations, width, epsilon, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    mask = at < width
    v = tl.load(x + row * width + at, mask=mask, other=0.0).to(tl.float32)
    mean = tl.sum(v, 0) / width
    centered = tl.where(mask, v - mean, 0.0)
    deviation = 1 / tl.sqrt(tl.sum(centered * centered, 0) / width + epsilon)
    g = tl.load(gain + at, mask=mask, other=0.0).to(tl.float32)
    b = tl.load(bias + at, mask=mask, other=0.0).to(tl.float32)
    tl.store(out + row * width + at, centered * deviation * g + b, mask=mask)
    tl.store(means + row, mean)
    tl.store(deviations + row, deviation)


@triton.jit
def layer_norm_backward(dy, x, gain, means, deviations, dx, dgain, dbias, rows, width, BLOCK: tl.constexpr):
    """The gradient of x. Those of gain and bias are sums over this program's rows, added atomically."""
    at = tl.arange(0, BLOCK)
    mask = at < width
    g = tl.load(gain + at, mask=mask, other=0.0).to(tl.float32)
    gains = tl.zeros([BLOCK], tl.float32)
    biases = tl.zeros([BLOCK], tl.float32)
    for row in range(tl.program_id(0), rows, tl.num_programs(0)):
        v = tl.load(x + row * width + at, mask=mask, other=0.0).to(tl.float32)
        d = tl.load(dy + row * width + at, mask=mask, other=0.0).to(tl.float32)
        deviation = tl.load(deviations + row)
        normal = tl.where(mask, (v - tl.load(means + row)) * deviation, 0.0)
        gains += d * normal
        biases += d
        d = d * g
        across = tl.sum(d * normal, 0) / width
        tl.store(dx + row * width + at, (d - normal * across - tl.sum(d, 0) / width) * deviation, mask=mask)
    tl.atomic_add(dgain + at, gains, mask=mask)
    tl.atomic_add(dbias + at, biases, mask=mask)


@triton.jit
def rms_norm(x, gain, out, width, epsilon, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    v = tl.load(x + row * width + at, mask=at < width, other=0.0).to(tl.float32)
    scale = tl.rsqrt(tl.sum(v * v, 0) / width + epsilon)
    tl.store(out + row * width + at, v * scale * tl.load(gain + at, mask=at < width, other=0.0).to(tl.float32), mask=at < width)


@triton.jit
def argmax(x, places, values, low, rows, width, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    """The first of equal values, and the place of the least value."""
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    at = tl.arange(0, BLOCK)
    mask = (row[:, None] < rows) & (at[None, :] < width)
    places_of = row[:, None] * width + at[None, :]
    v = tl.load(x + places_of, mask=mask, other=-float("inf"))
    top, place = tl.max(v, 1, return_indices=True)
    tl.store(places + row, place, mask=row < rows)
    tl.store(values + row, top, mask=row < rows)
    tl.store(low + row, tl.argmin(tl.where(mask, v, float("inf")), 1), mask=row < rows)


@triton.jit
def cross_entropy(logits, targets, losses, gradient, width, smoothing, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    mask = at < width
    v = tl.load(logits + row * width + at, mask=mask, other=-float("inf")).to(tl.float32)
    target = tl.load(targets + row)
    top = tl.max(v, 0)
    e = tl.exp(v - top)
    total = tl.sum(e, 0)
    wanted = tl.load(logits + row * width + target).to(tl.float32)
    everywhere = tl.sum(tl.where(mask, v, 0.0), 0) / width
    tl.store(losses + row, top + tl.log(total) - (1 - smoothing) * wanted - smoothing * everywhere)
    tl.store(gradient + row * width + at, e / total - tl.where(at == target, 1 - smoothing, 0.0) - smoothing / width, mask=mask)


@triton.jit
def embedding(table, tokens, out, count, width, TOKENS: tl.constexpr, BLOCK: tl.constexpr):
    place = tl.program_id(0) * TOKENS + tl.arange(0, TOKENS)
    at = tl.arange(0, BLOCK)
    token = tl.load(tokens + place, mask=place < count, other=0)
    mask = (place[:, None] < count) & (at[None, :] < width)
    v = tl.load(table + token[:, None] * width + at[None, :], mask=mask)
    tl.store(out + place[:, None] * width + at[None, :], v, mask=mask)


@triton.jit
def embedding_backward(gradient, tokens, table, count, width, BLOCK: tl.constexpr):
    place = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    token = tl.load(tokens + place)
    v = tl.load(gradient + place * width + at, mask=at < width, other=0.0)
    tl.atomic_add(table + token * width + at, v, mask=at < width)


@triton.jit
def transpose(x, out, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """A tile through shared memory."""
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    column = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    v = tl.load(x + row[:, None] * columns + column[None, :], mask=(row[:, None] < rows) & (column[None, :] < columns), other=0)
    tl.store(out + column[:, None] * rows + row[None, :], tl.trans(v), mask=(column[:, None] < columns) & (row[None, :] < rows))


@triton.jit
def column_sums(x, out, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    row = tl.arange(0, ROWS)
    column = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    total = tl.zeros([ROWS, COLUMNS], tl.float32)
    for start in range(0, rows, ROWS):
        mask = (start + row[:, None] < rows) & (column[None, :] < columns)
        total += tl.load(x + (start + row[:, None]) * columns + column[None, :], mask=mask, other=0.0).to(tl.float32)
    tl.store(out + column, tl.sum(total, 0), mask=column < columns)


@triton.jit
def merge_means(n, mean, square, other_n, other_mean, other_square):
    total = n + other_n
    part = tl.where(total == 0, 0.0, other_n / tl.where(total == 0, 1.0, total))
    apart = other_mean - mean
    return total, mean + apart * part, square + other_square + apart * apart * n * part


@triton.jit
def variance(x, means, variances, width, BLOCK: tl.constexpr):
    """Welford's algorithm: a reduction of three values at once."""
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    v = tl.load(x + row * width + at, mask=at < width, other=0.0).to(tl.float32)
    n, mean, square = tl.reduce((tl.where(at < width, 1.0, 0.0), v, tl.zeros([BLOCK], tl.float32)), 0, merge_means)
    tl.store(means + row, mean)
    tl.store(variances + row, square / n)
