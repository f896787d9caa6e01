"""Lanes and warps that wait for each other through memory. The results of a
launch follow from its numbers alone, so each case states them; the hardware's must equal them."""

from .inputs import buf, case, drawn, listed, out, scalar

MASK = 2**32 - 1


def s32(name, value):
    return scalar("s32", name, value)


def wait(name, block, params, grid=1):
    return case("wait_" + name, "waiting", "wait_" + name, grid, block, params)


def both(blocks, words):
    """The words of blocks that use global memory only in odd blocks."""
    return [word for block in range(blocks) for word in (words if block % 2 else [0] * len(words))]


def words(blocks, values, shared):
    """A buffer of the blocks' own words, and their final values."""
    return out("words", "u32", blocks * len(values), expect=[0] * (blocks * len(values)) if shared else values * blocks)


def generic_words(blocks, values):
    return out("words", "u32", blocks * len(values), expect=both(blocks, values))


def lock(name, threads, rounds, space, blocks=1):
    left = [0, threads * rounds, sum((t + 1) * (r + 1) for t in range(threads) for r in range(rounds))]
    cells = generic_words(blocks, left) if space == "generic" else words(blocks, left, space == "shared")
    return wait("lock_" + name, threads, [cells, out("out", "u32", 3 * blocks, expect=left * blocks), s32("rounds", rounds)], blocks)


def lock_tested(threads, rounds):
    left = [0, sum(t + r for t in range(threads) for r in range(rounds))]
    return wait("lock_tested", threads, [words(1, left, True), out("out", "u32", 2, expect=left), s32("rounds", rounds)])


def lock_pairs(threads, rounds):
    id = "wait_lock_pairs"
    moves = drawn(id, lambda s: [s.below(8) | s.below(8) << 3 | s.below(1000) << 6 for _ in range(threads * rounds)])
    accounts = [0] * 8
    for move in moves:
        accounts[move & 7] -= move >> 6
        accounts[move >> 3 & 7] += move >> 6
    return wait("lock_pairs", threads, [buf("moves", "u32", listed(moves)), out("out", "u32", 16, expect=[0] * 8 + accounts), s32("rounds", rounds)])


def lock_warps(warps, rounds):
    left = [sum(lane * (warp + 1) + r for warp in range(warps) for r in range(rounds)) for lane in range(32)] + [0]
    return wait("lock_warps", 32 * warps, [words(1, left, True), out("out", "u32", 33, expect=left), s32("rounds", rounds)])


def lock_called(threads, rounds, blocks):
    bits = 0
    for _ in range(rounds):
        for t in range(threads):
            bits ^= 1 << t % 32
    left = [0, rounds * sum(range(threads)), bits]
    return wait("lock_called", threads, [generic_words(blocks, left), out("out", "u32", 3 * blocks, expect=left * blocks), s32("rounds", rounds)], blocks)


def steps(count, times, add, start=0):
    value = start
    for _ in range(count):
        value = (value * times + add) & MASK
    return value


def ticket(name, threads, rounds, shared):
    count = threads * rounds
    left = [count, count, steps(count, 5, 1), sum(t ^ r for t in range(threads) for r in range(rounds))]
    return wait("ticket_" + name, threads, [words(1, left, shared), out("out", "u32", 4, expect=left), s32("rounds", rounds)])


def ticket_warps(warps, rounds, blocks):
    count = warps * rounds
    left = [steps(count, 3, lane) for lane in range(32)] + [count, count]
    return wait("ticket_warps_generic", 32 * warps, [generic_words(blocks, left), out("out", "u32", 34 * blocks, expect=left * blocks), s32("rounds", rounds)], blocks)


def turns(name, threads, rounds, blocks):
    value, seen = 0, []
    for _ in range(rounds):
        row = [0] * threads
        for t in reversed(range(threads)):
            value = row[t] = (value * 3 + t) & MASK
        seen += row
    left = [threads * rounds, value]
    cells = words(blocks, left, True) if blocks == 1 else generic_words(blocks, left)
    return wait("turns_" + name, threads, [cells, out("out", "u32", threads * rounds * blocks, expect=seen * blocks), s32("rounds", rounds)], blocks)


def semaphore(threads, rounds):
    left = [3, 0, 0, sum(t * (r + 1) for t in range(threads) for r in range(rounds))]
    return wait("semaphore", threads, [words(1, left, True), out("out", "u32", 4, expect=left), s32("rounds", rounds)])


def semaphore_bounded(rounds):
    count = 32 * rounds
    return wait("semaphore_bounded", 64, [words(1, [4, 0, 0, count, count, 0, 0, 0, 0], False), out("taken", "u32", count, expect=[1] * count), s32("rounds", rounds)])


def numbers(name, count):
    values = drawn("wait_" + name, lambda s: [s.below(10**6) for _ in range(count)])
    return values, buf("in", "u32", listed(values))


def ring_shared(rows):
    values, given = numbers("ring_shared", 32 * rows)
    sums, taken = [0] * 32, []
    for r in range(rows):
        sums = [(total + (value * 3 ^ r)) & MASK for total, value in zip(sums, values[32 * r:])]
        taken += sums
    return wait("ring_shared", 64, [given, out("out", "u32", 32 * rows, expect=taken), s32("rows", rows)])


def ring_global(rows):
    values, given = numbers("ring_global", 32 * rows)
    ring = [0] * 128
    for at, value in enumerate(values):
        ring[at % 128] = value
    taken = [values[32 * r + (lane ^ 5)] + r for r in range(rows) for lane in range(32)]
    return wait("ring_global", 64, [given, words(1, [rows, rows] + ring, False), out("out", "u32", 32 * rows, expect=taken), s32("rows", rows)])


def ring_lanes(items, blocks):
    values, given = numbers("ring_lanes", items)
    taken = [(value + block) * 7 for block in range(blocks) for value in values]
    last = [values[at] for at in sorted((items - 2, items - 1), key=lambda at: at % 2)]
    left = [word for block in range(blocks) for word in ([items, items] + [v + block for v in last] if block % 2 else [0] * 4)]
    return wait("ring_lanes", 32, [given, out("words", "u32", 4 * blocks, expect=left), out("out", "u32", items * blocks, expect=taken), s32("items", items)], blocks)


def producers_warps(rounds):
    values, given = numbers("producers_warps", 128 * rounds)
    taken = []
    for r in range(rounds):
        for lane in range(32):
            total = 0
            for warp in range(4):
                total = (total * 9 + values[(r * 4 + warp) * 32 + 31 - lane]) & MASK
            taken.append(total)
    return wait("producers_warps", 160, [given, out("out", "u32", 32 * rounds, expect=taken), s32("rounds", rounds)])


def producers_lanes(each):
    seen = 0
    for r in range(each):
        seen = seen * 3 + r + 1
    left = [4 * each] + [0, 1] * (4 * each)
    return wait("producers_lanes", 32, [words(1, left, False), out("out", "u32", 4, expect=[seen] * 4), s32("each", each)])


def up(values):
    sums = list(values)
    for t in reversed(range(1, len(values))):
        sums[(t - 1) // 2] += 2 * sums[t]
    return [value & MASK for value in sums]


def down(values):
    left = list(values)
    for t in range(1, len(values)):
        left[t] = (left[t] + 3 * left[(t - 1) // 2]) & MASK
    return left


def tree_up(threads):
    values, given = numbers("tree_up", threads)
    return wait("tree_up", threads, [given, out("words", "u32", 128, expect=[0] * 128), out("out", "u32", threads, expect=up(values))])


def tree_down(threads):
    values, given = numbers("tree_down", threads)
    left = down(values)
    return wait("tree_down", threads, [given, words(1, [1] * threads + left, False), out("out", "u32", threads, expect=left)])


def tree_both(blocks):
    values, given = numbers("tree_both", 64)
    sums = up(values)
    left = down(sums)
    # No thread waits for the lower half of the tree, so it is not overwritten on the way down.
    return wait("tree_both", 64, [given, generic_words(blocks, [2] * 64 + sums + left), out("out", "u32", 64 * blocks, expect=left * blocks)], blocks)


def ping_pong(name, first, second, rounds, threads, space, blocks=1):
    value, seen = 0, []
    for r in range(2 * rounds):
        value = (value * 3 + 1 + r % 2) & MASK
        seen.append(value)
    left = [2 * rounds, value]
    cells = generic_words(blocks, left) if space == "generic" else words(blocks, left, space == "shared")
    return wait("ping_pong_" + name, threads, [cells, out("out", "u32", 2 * rounds * blocks, expect=seen * blocks), s32("first", first), s32("second", second), s32("rounds", rounds)], blocks)


def both_ways(name, distance, shared):
    values, given = numbers("both_ways_" + name, 64)
    left = [1] * 64 + [5 * value for value in values]
    taken = [5 * values[t ^ distance] - values[t] for t in range(64)]
    return wait("both_ways_" + name, 64, [given, words(1, left, shared), out("out", "u32", 64, expect=taken), s32("distance", distance)])


def warps_in_turn(name, shared):
    stored = [200] * 32 + [100] * 32
    seen = [word for t in range(64) for word in ((0, 100) if t < 32 else (1, 201))]
    return wait("warps_in_turn_" + name, 64, [words(1, [1, 2] + stored, shared), out("out", "u32", 128, expect=seen)])


def barrier_by_hand(threads, rounds):
    values, given = numbers("barrier_by_hand", threads)
    left = [[0] * threads, [0] * threads]
    for r in range(rounds):
        left[r % 2] = values
        values = [(value * 2 + values[(t + 1 + r) % threads]) & MASK for t, value in enumerate(values)]
    return wait("barrier_by_hand", threads, [given, words(1, [0, rounds] + left[0] + left[1], False), out("out", "u32", threads, expect=values), s32("rounds", rounds)])


def weak_after_barrier(rounds):
    values, given = numbers("weak_after_barrier", 32 * rounds)
    taken = [values[32 * r + (lane + 1) % 32] * (r + 5) & MASK for r in range(rounds) for lane in range(32)]
    return wait("weak_after_barrier", 64, [given, out("out", "u32", 32 * rounds, expect=taken), s32("rounds", rounds)])


CASES = [
    lock("lanes_shared", 32, 2, "shared"),
    lock("lanes_global", 32, 2, "global"),
    lock("block_global", 70, 1, "global"),
    lock("block_generic", 64, 1, "generic", 2),
    lock_tested(40, 2),
    lock_pairs(64, 2),
    lock_warps(3, 3),
    lock_called(40, 1, 2),
    ticket("lanes_shared", 32, 2, True),
    ticket("block_global", 64, 2, False),
    ticket_warps(3, 3, 2),
    turns("shared", 48, 2, 1),
    turns("generic", 33, 2, 2),
    semaphore(64, 2),
    semaphore_bounded(2),
    ring_shared(9),
    ring_global(9),
    ring_lanes(9, 2),
    producers_warps(3),
    producers_lanes(5),
    tree_up(63),
    tree_down(96),
    tree_both(2),
    ping_pong("shared", 40, 3, 8, 64, "shared"),
    ping_pong("global", 0, 63, 8, 64, "global"),
    ping_pong("generic", 9, 8, 8, 32, "generic", 2),
    both_ways("shared", 33, True),
    both_ways("global", 1, False),
    warps_in_turn("shared", True),
    warps_in_turn("global", False),
    barrier_by_hand(64, 3),
    weak_after_barrier(4),
    wait("weak_rounds", 64, [buf("in", "u32", listed([3, 40])), out("words", "u32", 1, expect=[4]), out("out", "u32", 64, expect=[4 + t for t in range(64)])]),
]
