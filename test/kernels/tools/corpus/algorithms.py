"""Fractals, integer loops, hashes, generators, strings, graphs, bodies."""

from .graphs import bfs_state, csr, edge_list, random_graph
from .inputs import bits, buf, case, floats, ints, listed, mixed, out, scalar, text

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ .,[`{@0189"


def s32(name, value):
    return scalar("s32", name, value)


def u32(name, value):
    return scalar("u32", name, value)


def f32(name, value):
    return scalar("f32", name, value)


def mandelbrot(id, width, height, block, left, top, step, limit):
    grid = ((width + block[0] - 1) // block[0], (height + block[1] - 1) // block[1])
    return case(id, "fractal", "mandelbrot", grid, block,
                [out("out", "u16", width * height), s32("width", width), s32("height", height), f32("left", left),
                 f32("top", top), f32("step", step), s32("limit", limit)])


def gcd(id, a, b, n, grid, block):
    return case(id, "integers", "gcd_pairs", grid, block,
                [buf("a", "u32", a), buf("b", "u32", b), out("euclid", "u32", n), out("stein", "u32", n), s32("n", n)])


def pattern(id, content, wanted, n, grid, block):
    return case(id, "strings", "find_pattern", grid, block,
                [buf("text", "s8", content), s32("n", n), buf("pattern", "s8", listed(wanted)), s32("m", len(wanted)),
                 out("bitmap", "u32", (grid * block + 31) // 32), out("count", "u32", 1)])


def decimals(n, width):
    """Fields of digits, some signed and some invalid."""
    def field(s):
        body = "-+ "[s.below(3)] + str(s.below(10 ** (1 + s.below(width - 1))))
        if s.below(6) == 0:
            body = body[: s.below(len(body) + 1)] + "x"
        return body.rjust(width)[:width]

    return lambda s: [ord(c) for _ in range(n) for c in field(s)]


def parse(id, n, width, grid, block):
    return case(id, "strings", "parse_decimal", grid, block,
                [buf("text", "s8", decimals(n, width)), out("value", "s32", n), out("bad", "s8", n), s32("width", width), s32("n", n)])


def upper(id, n, grid, block):
    return case(id, "strings", "to_upper", grid, block,
                [buf("in", "u8", text(n, LETTERS)), out("out", "u8", n), s32("n", n)])


def bfs(id, entry, n, edges, depth, grid, block):
    graph = random_graph(id, n, edges)
    starts, columns = csr(graph)
    level, frontier = bfs_state(graph, depth)
    params = [buf("rowStart", "s32", listed(starts)), buf("column", "s32", listed(columns)), buf("frontier", "u32", listed(frontier)),
              out("next", "u32", len(frontier)), buf("level", "s32", listed(level))]
    if entry == "bfs_step":
        params.append(out("found", "u32", 1))
    return case(id, "graph", entry, grid, block, params + [s32("depth", depth + 1), s32("n", n)])


def components(id, n, edges, block):
    pairs = edge_list(random_graph(id, n, edges))
    return case(id, "graph", "components_block", 1, block,
                [buf("edges", "s32", listed(pairs)), out("label", "s32", n), out("components", "s32", 1),
                 s32("edgeCount", len(pairs) // 2), s32("n", n)])


def triangles(id, n, edges, grid, block):
    starts, columns = csr(random_graph(id, n, edges))
    return case(id, "graph", "triangles", grid, block,
                [buf("rowStart", "s32", listed(starts)), buf("column", "s32", listed(columns)), out("count", "u32", 1), s32("n", n)])


def bodies(n):
    return floats(n * 4, 0.125, 4)


# rsqrt.approx three times, then a sum of a hundred terms that may cancel.
PULL = {"rel": 1e-4, "abs": 1e-4}

CASES = [
    mandelbrot("mandelbrot", 32, 24, (16, 8), -2.25, 1.25, 0.09375, 64),
    mandelbrot("mandelbrot_odd", 19, 11, (7, 5), -0.75, 0.125, 0.0078125, 200),
    case("julia_fixed", "fractal", "julia_fixed", 4, 64,
         [out("steps", "u32", 256), out("escaped", "u32", 8), s32("side", 16), s32("cr", -107374182), s32("ci", 214748364), s32("limit", 48)]),
    case("collatz", "integers", "collatz", 2, 64,
         [buf("in", "u32", ints(128, 1, 5000)), out("steps", "u32", 128), out("peak", "u64", 128), s32("n", 128)]),
    case("collatz_odd", "integers", "collatz", 3, 20,
         [buf("in", "u32", mixed(53, [1, 2, 3, 27, 703, 77031, 113383])), out("steps", "u32", 53), out("peak", "u64", 53), s32("n", 53)]),
    case("collatz_longest", "integers", "collatz_longest", 2, 96,
         [u32("first", 1), out("length", "u32", 6), out("number", "u32", 6)]),
    gcd("gcd_pairs", ints(128, 0, 100000), ints(128, 0, 100000), 128, 1, 128),
    gcd("gcd_pairs_odd", mixed(77, [0, 0, 5, 0xFFFFFFFF, 0x80000000, 1]), mixed(77, [0, 7, 0, 0xFFFFFFFF, 0x40000000, 1]), 77, 3, 30),
    case("prime_bitmap", "integers", "prime_bitmap", 2, 128, [u32("first", 0), out("bitmap", "u32", 8)]),
    case("prime_bitmap_odd", "integers", "prime_bitmap", 1, 45, [u32("first", 65500), out("bitmap", "u32", 2)]),
    case("power_mod", "integers", "power_mod", 2, 50,
         [buf("base", "u32", bits(97)), buf("exponent", "u32", mixed(97, [0, 1, 2, 0xFFFFFFFF])), out("out", "u32", 97),
          u32("m", 4294967291), s32("n", 97)]),
    case("integer_sqrt", "integers", "integer_sqrt", 2, 64,
         [buf("in", "u64", mixed(120, [0, 1, 2, 3, 4, 2**32 - 1, 2**32, 2**64 - 1, 2**64 - 2**33 + 1, 2**64 - 2**33], 64)),
          out("out", "u32", 120), s32("n", 120)]),
    case("hash_fnv1a", "hash", "hash_fnv1a", 1, 100,
         [buf("bytes", "u8", bits(97 * 13, 8)), out("out", "u64", 97), s32("length", 13), s32("n", 97)]),
    case("hash_splitmix", "hash", "hash_splitmix", 2, 64,
         [buf("seed", "u64", mixed(125, [0, 1, 2**64 - 1], 64)), out("out", "u64", 125), s32("n", 125)]),
    case("hash_murmur", "hash", "hash_murmur", 2, 64,
         [buf("in", "u64", mixed(128, [0, 1, 2**63], 64)), out("wide", "u64", 128), out("narrow", "u32", 128), out("folded", "u64", 4)]),
    case("hash_crc32", "hash", "hash_crc32", 1, 64,
         # The check value of CRC-32: "123456789" gives cbf43926.
         [buf("bytes", "u8", lambda s: list(b"123456789") + bits(50 * 9, 8)(s)), out("out", "u32", 51), s32("length", 9), s32("n", 51)]),
    case("hash_schedule", "hash", "hash_schedule", 1, 32, [buf("in", "u32", bits(512)), out("last", "u32", 32), out("all", "u32", 32)]),
    case("rng_xorshift", "random", "rng_xorshift", 1, 64,
         [buf("seed", "u32", bits(64)), out("small", "u32", 64), out("large", "u32", 256), s32("steps", 20)]),
    case("rng_philox", "random", "rng_philox", 2, 64,
         [out("out", "u32", 4 * 120), u32("key0", 0xA4093822), u32("key1", 0x299F31D0), s32("n", 120)]),
    case("rng_pcg32", "random", "rng_pcg32", 1, 64,
         [buf("seed", "u64", bits(61, 64)), out("out", "f32", 4 * 61), s32("draws", 4), s32("n", 61)]),
    case("rng_pi", "random", "rng_pi", 2, 128, [out("inside", "u32", 1), u32("seed", 2026), s32("rounds", 25)]),
    pattern("find_pattern", text(512, "ab"), b"abba", 512, 4, 128),
    pattern("find_pattern_odd", text(301, "aab"), b"aa", 301, 3, 128),
    case("find_byte", "strings", "find_byte", 2, 128,
         [buf("text", "u8", text(8 * 100, LETTERS)), out("where", "s32", 8), s32("perWarp", 100), s32("wanted", ord("q"))]),
    upper("to_upper", 512, 2, 64),
    upper("to_upper_odd", 203, 1, 70),
    parse("parse_decimal", 96, 8, 1, 96),
    parse("parse_decimal_odd", 41, 5, 2, 33),
    case("edit_distance", "strings", "edit_distance", 1, 64,
         [buf("a", "s8", text(50 * 12, "abc")), buf("b", "s8", text(50 * 12, "abc")), out("out", "u8", 50), s32("n", 50)]),
    bfs("bfs_step", "bfs_step", 256, 500, 2, 2, 128),
    bfs("bfs_step_odd", "bfs_step", 117, 160, 3, 2, 64),
    bfs("bfs_warp_per_vertex", "bfs_warp_per_vertex", 192, 1200, 1, 2, 96),
    components("components_block", 200, 120, 256),
    components("components_block_odd", 71, 50, 75),
    triangles("triangles", 64, 400, 1, 64),
    triangles("triangles_odd", 45, 250, 2, 32),
    case("nbody_tiled", "nbody", "nbody_tiled", 2, 64,
         [buf("bodies", "f32", bodies(128)), out("acceleration", "f32", 512, PULL), f32("softening", 0.25), s32("n", 128)]),
    case("nbody_tiled_odd", "nbody", "nbody_tiled", 3, 30,
         [buf("bodies", "f32", bodies(83)), out("acceleration", "f32", 332, PULL), f32("softening", 0.25), s32("n", 83)]),
    case("nbody_warp", "nbody", "nbody_warp", 2, 32,
         [buf("bodies", "f32", bodies(64)), out("acceleration", "f32", 256, PULL), f32("softening", 0.5)]),
]
