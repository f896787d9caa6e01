"""Kernels that sort, scan and count."""

import triton
import triton.language as tl


@triton.jit
def sort(x, out, width, BLOCK: tl.constexpr, DESCENDING: tl.constexpr):
    """Elements after the row count as the least or the greatest, and are not stored."""
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    last = -float("inf") if DESCENDING else float("inf")
    v = tl.load(x + row * width + at, mask=at < width, other=last)
    tl.store(out + row * width + at, tl.sort(v, descending=DESCENDING), mask=at < width)


@triton.jit
def sort_keys(x, out, BLOCK: tl.constexpr):
    """Rows of 32-bit keys, each with its place, as 64 bits."""
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    key = (tl.load(x + row * BLOCK + at).to(tl.uint64) << 32) | at.to(tl.uint64)
    tl.store(out + row * BLOCK + at, tl.sort(key))


@triton.jit
def top_k(x, out, width, K: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    v = tl.load(x + row * width + at, mask=at < width, other=-float("inf"))
    tl.store(out + row * K + tl.arange(0, K), tl.topk(v, K))


@triton.jit
def cumsum(x, out, width, BLOCK: tl.constexpr, REVERSE: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    v = tl.load(x + row * width + at, mask=at < width, other=0)
    tl.store(out + row * width + at, tl.cumsum(v, 0, reverse=REVERSE), mask=at < width)


@triton.jit
def cumprod(x, out, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Down the columns of a tile."""
    row = tl.arange(0, ROWS)
    column = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    mask = (row[:, None] < rows) & (column[None, :] < columns)
    v = tl.load(x + row[:, None] * columns + column[None, :], mask=mask, other=1)
    tl.store(out + row[:, None] * columns + column[None, :], tl.cumprod(v, 0), mask=mask)


@triton.jit
def step(a, b, c, d):
    return a * c, b * c + d


@triton.jit
def linear_scan(a, b, out, length, BLOCK: tl.constexpr):
    """h[i] = a[i] h[i-1] + b[i], as in state space models."""
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    x = tl.load(a + row * length + at, mask=at < length, other=1.0)
    y = tl.load(b + row * length + at, mask=at < length, other=0.0)
    _, h = tl.associative_scan((x, y), 0, step)
    tl.store(out + row * length + at, h, mask=at < length)


@triton.jit
def greater(a, b):
    return tl.maximum(a, b)


@triton.jit
def running_maximum(x, out, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    v = tl.load(x + row * width + at, mask=at < width, other=-32768)
    tl.store(out + row * width + at, tl.associative_scan(v, 0, greater, reverse=True), mask=at < width)


@triton.jit
def histogram(x, bins, n, BLOCK: tl.constexpr, BINS: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < n, other=0)
    tl.atomic_add(bins + tl.arange(0, BINS), tl.histogram(v, BINS, mask=at < n))


@triton.jit
def atomics(x, at, sums, floats, least, most, bits, swapped, n, BLOCK: tl.constexpr):
    """Every update commutes, so the order of threads does not matter."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    v = tl.load(x + i, mask=mask, other=0)
    place = tl.load(at + i, mask=mask, other=0)
    tl.atomic_add(sums + place, v, mask=mask)
    tl.atomic_add(floats + place, v.to(tl.float32), mask=mask, sem="relaxed")
    tl.atomic_min(least + place, v, mask=mask)
    tl.atomic_max(most + place, v, mask=mask, scope="cta")
    tl.atomic_xor(bits + place, v, mask=mask, sem="acquire")
    tl.store(swapped + i, tl.atomic_xchg(swapped + i, v + 1, mask=mask) - v, mask=mask)


@triton.jit
def halves_add(x, at, sums, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(sums + tl.load(at + i, mask=i < n, other=0), tl.load(x + i, mask=i < n, other=0.0), mask=i < n)


@triton.jit
def last_block(x, partial, ticket, out, n, BLOCK: tl.constexpr):
    """Programs store partial sums. The last one, determined by a ticket, adds them."""
    program = tl.program_id(0)
    at = program * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_xchg(partial + program, tl.sum(tl.load(x + at, mask=at < n, other=0), 0))
    if tl.atomic_add(ticket, 1) == tl.num_programs(0) - 1:
        i = tl.arange(0, 32)
        parts = tl.atomic_add(partial + i, 0, mask=i < tl.num_programs(0))
        tl.store(out, tl.sum(tl.where(i < tl.num_programs(0), parts, 0), 0))


@triton.jit
def locked_sum(x, lock, total, n, BLOCK: tl.constexpr):
    """A lock acquired by compare-and-swap."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    part = tl.sum(tl.load(x + at, mask=at < n, other=0), 0)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(total, tl.load(total) + part)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


@triton.jit
def shapes(x, out, BLOCK: tl.constexpr):
    """Changes of layout: joined, split, permuted, flipped, interleaved, gathered."""
    at = tl.arange(0, BLOCK)
    v = tl.load(x + tl.program_id(0) * BLOCK + at)
    even, odd = tl.split(tl.reshape(v, (BLOCK // 2, 2)))
    turned = tl.reshape(tl.permute(tl.reshape(v, (4, BLOCK // 8, 2)), (1, 2, 0)), (BLOCK,))
    backwards = tl.flip(v, 0)
    picked = tl.gather(v, (at * 7 + 3) % BLOCK, 0)
    mixed = tl.interleave(odd, even)
    base = out + tl.program_id(0) * 4 * BLOCK
    tl.store(base + at, turned)
    tl.store(base + BLOCK + at, backwards)
    tl.store(base + 2 * BLOCK + at, picked)
    tl.store(base + 3 * BLOCK + at, mixed)
