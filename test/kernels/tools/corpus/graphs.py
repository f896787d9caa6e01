"""Random graphs in CSR form, and breadth-first states to start a kernel from."""

from .inputs import Stream


def random_graph(seed, n, edges):
    """Sorted neighbor lists of an undirected graph without loops or double edges."""
    stream = Stream(seed)
    neighbours = [set() for _ in range(n)]
    for _ in range(edges):
        a, b = stream.below(n), stream.below(n)
        if a != b:
            neighbours[a].add(b)
            neighbours[b].add(a)
    return [sorted(s) for s in neighbours]


def csr(neighbours):
    """(row starts, columns)"""
    starts, columns = [0], []
    for row in neighbours:
        columns += row
        starts.append(len(columns))
    return starts, columns


def edge_list(neighbours):
    """Each edge once, as a flat list of pairs."""
    return [v for a, row in enumerate(neighbours) for b in row if a < b for v in (a, b)]


def bfs_state(neighbours, depth):
    """(levels, frontier bitmap words) after `depth` steps from vertex 0; unseen vertices have level -1."""
    level = [-1] * len(neighbours)
    level[0] = 0
    frontier = [0]
    for d in range(1, depth + 1):
        reached = sorted({w for v in frontier for w in neighbours[v] if level[w] == -1})
        for w in reached:
            level[w] = d
        frontier = reached
    words = [0] * ((len(neighbours) + 31) // 32)
    for v in frontier:
        words[v >> 5] |= 1 << (v & 31)
    return level, words
