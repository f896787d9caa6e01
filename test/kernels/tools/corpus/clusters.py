"""Clusters of one block."""

from .inputs import bits, buf, case, ints, out, scalar

CASES = [
    case("cluster_sum", "cluster", "cluster_sum", 3, 96, [buf("in", "s32", ints(280, -99, 99)), out("out", "s32", 280), scalar("s32", "n", 280)]),
    case("cluster_facts", "cluster", "cluster_facts", (2, 3), 32, [out("out", "u32", 6 * 32 * 16), buf("in", "u32", bits(32))]),
    case("cluster_explicit", "cluster", "cluster_explicit", 2, 32, [out("out", "u32", 2)]),
    case("cluster_phases", "cluster", "cluster_phases", 1, 128, [buf("in", "s32", ints(128, -99, 99)), out("out", "s32", 128), scalar("s32", "rounds", 4)]),
]
