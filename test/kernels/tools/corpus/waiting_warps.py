"""Warps that wait for each other in global memory, with a warp instruction in each iteration. The
results of a launch follow from its numbers alone, so each case states them."""

from .inputs import buf, case, drawn, listed, out, scalar

MASK = 2**32 - 1


def wait(name, threads, params, grid=1):
    return case("wait_" + name, "waiting_warps", "wait_" + name, grid, threads, params)


def given(name, count):
    values = drawn("wait_" + name, lambda s: [s.below(10**6) for _ in range(count)])
    return values, buf("in", "u32", listed(values))


def vote_words():
    values, data = given("vote_words", 32)
    stored = []
    for value in values:
        result = value
        for _ in range(value % 7):
            result = (result * 3 + 1) & MASK
        stored.append(result | 1)
    left = [(word + sum(stored)) & MASK for word in stored]
    return wait("vote_words", 64, [data, out("words", "u32", 32, expect=stored), out("out", "u32", 32, expect=left)])


def shuffled_flag(rounds, blocks):
    sums, values = [list(range(32)) * 2, [0] * 64]
    for r in range(rounds):
        for me in range(2):
            for lane in range(32):
                at = 32 * me + lane
                sums[at] = (sums[at] * 3 + values[32 * (1 - me) + (lane + r) % 32]) & MASK
            for lane in range(32):
                values[32 * me + lane] = (sums[32 * me + lane] + r) & MASK
    words = [2 * rounds, 0] + values
    cells = [out("words", "u32", 66 * blocks, expect=words * blocks), out("out", "u32", 64 * blocks, expect=sums * blocks)]
    return wait("shuffled_flag", 64, [*cells, scalar("s32", "rounds", rounds)], blocks)


def ticket_of_warp(warps, rounds):
    values, left = [0] * 32, [0] * 32 * warps
    for _ in range(rounds):
        for me in range(warps):
            left[32 * me:32 * me + 32] = values
            values = [(values[lane - 1] * 5 + me) & MASK for lane in range(32)]
    cells = [out("words", "u32", 33, expect=[warps * rounds] + values), out("out", "u32", 32 * warps, expect=left)]
    return wait("ticket_of_warp", 32 * warps, [*cells, scalar("s32", "rounds", rounds)])


def lock_of_warp(warps, rounds):
    sums = [sum(32 * me + lane + r for me in range(warps) for r in range(rounds)) for lane in range(32)]
    return wait("lock_of_warp", 32 * warps, [out("words", "u32", 33, expect=[0] + sums), scalar("s32", "rounds", rounds)])


def both_flags(warps):
    numbers, data = given("both_flags", 32 * warps)
    values = []
    for me in range(warps):
        for lane in range(32):
            before = values[(lane + 7) % 32 + 32 * (me - 1)] if me > 0 else 0
            values.append((numbers[32 * me + lane] + before) & MASK)
    flags = [at // 2 + 1 if at < 2 * warps else 0 for at in range(64)]
    cells = [out("words", "u32", 64 + 32 * warps, expect=flags + values), out("out", "u32", 32 * warps, expect=values)]
    return wait("both_flags", 32 * warps, [data, *cells])


CASES = [
    vote_words(),
    shuffled_flag(5, 3),
    ticket_of_warp(3, 4),
    lock_of_warp(3, 4),
    both_flags(4),
]
