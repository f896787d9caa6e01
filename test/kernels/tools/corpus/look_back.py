"""Scans whose blocks poll the descriptors of earlier blocks. The results of a launch follow from its
numbers alone, so each case states them; the hardware's must equal them."""

from .inputs import bits, buf, case, drawn, listed, out, scalar

THREADS = 64
TOTAL = 2


def look_back(name, kind, width, tiles, n):
    """A scan by `tiles` blocks; the last tile may be shorter."""
    mask = (1 << width) - 1
    values = drawn("look_back_" + name, bits(n))
    sums, sum = [], 0
    for value in values:
        sum = (sum + value * 0x300000005) & mask
        sums.append(sum)
    ends = [sums[min((tile + 1) * THREADS, n) - 1] for tile in range(tiles)]
    descriptors = [number for end in ends for number in (TOTAL, end)]
    params = [buf("in", "u32", listed(values)), out("tiles", kind, 2 * tiles, expect=descriptors), out("out", kind, n, expect=sums), scalar("s32", "n", n)]
    return case("look_back_" + name, "look_back", "look_back_" + name.split("_")[0], tiles, THREADS, params)


CASES = [
    look_back("pairs", "u32", 32, 34, 34 * THREADS),
    look_back("pairs_odd", "u32", 32, 3, 2 * THREADS + 7),
    look_back("wide", "u64", 64, 4, 4 * THREADS),
    look_back("wide_odd", "u64", 64, 3, 2 * THREADS + 33),
]
