// Kernels with divergent control flow around warp instructions, and the lanes that execute each
// instruction. The lanes of a warp that take one path execute an instruction together, and lanes
// that take different paths reconverge where the paths meet. Every condition and every operand is a
// free bit: each lane has a word, and each condition consumes its lowest bit.
import { at } from '../../../src/base/invariants.ts';
import { and, equal, ite, no, not, or, type Term } from '../terms/term.ts';

export type Node =
  /**
   * A ballot of the next bit. Each lane combines the ballots of one place, such as those of all
   * iterations of a loop, by an exclusive or.
   */
  | { readonly kind: 'ballot'; readonly place: number }
  | { readonly kind: 'if'; readonly then: readonly Node[]; readonly else: readonly Node[] }
  | { readonly kind: 'loop'; readonly body: readonly Node[] }
  /** The lanes whose next bit is 1 leave the loop, start its next iteration, or end. */
  | { readonly kind: 'break' }
  | { readonly kind: 'continue' }
  | { readonly kind: 'exit' };

export interface ControlCase {
  readonly name: string;
  readonly nodes: readonly Node[];
  /** The number of places with a ballot. */
  readonly places: number;
}

const ballot: Node = { kind: 'ballot', place: 0 };
const branch = (then: readonly Node[], otherwise: readonly Node[] = []): Node => ({
  kind: 'if',
  then,
  else: otherwise,
});
const loop = (...body: readonly Node[]): Node => ({ kind: 'loop', body });
const leave = { break: { kind: 'break' }, continue: { kind: 'continue' }, exit: { kind: 'exit' } } as const;

/** The number of iterations of each loop, unless all lanes leave it before. */
const iterations = 2;

/** Returns the shapes of a kernel: constructs in each other, and jumps out of each of them. */
function* shapes(): Generator<readonly Node[]> {
  const inside = [branch([ballot]), branch([], [ballot]), branch([ballot], [ballot]), leave.exit];
  for (const each of inside) yield [each, ballot];
  for (const each of inside) yield [branch([ballot, each, ballot]), ballot];
  for (const each of inside) yield [branch([each], [ballot, each]), ballot];
  const jumps = [leave.break, leave.continue, leave.exit];
  for (const each of [...jumps, branch([ballot])]) {
    yield [loop(each, ballot), ballot];
    yield [loop(ballot, each), ballot];
    yield [branch([loop(ballot, each, ballot)]), ballot];
    yield [loop(branch([each, ballot]), ballot), ballot];
    yield [loop(branch([ballot], [each]), ballot), ballot];
    yield [loop(loop(each, ballot), ballot), ballot];
  }
  for (const a of jumps) for (const b of jumps) yield [loop(a, ballot, branch([b]), ballot), ballot];
  yield [loop(loop(branch([leave.exit], [leave.break]), ballot), leave.break, ballot), ballot];
}

const textOf = (nodes: readonly Node[]): string =>
  nodes
    .map((node) => {
      if (node.kind === 'loop') return `loop { ${textOf(node.body)} }`;
      if (node.kind !== 'if') return node.kind;
      return `if { ${textOf(node.then)} }${node.else.length > 0 ? ` else { ${textOf(node.else)} }` : ''}`;
    })
    .join('; ');

/** Returns nodes in which each ballot has its own place. */
function caseOf(shape: readonly Node[]): ControlCase {
  let places = 0;
  const numbered = (list: readonly Node[]): readonly Node[] =>
    list.map((node): Node => {
      if (node.kind === 'ballot') return { ...node, place: places++ };
      if (node.kind === 'loop') return { ...node, body: numbered(node.body) };
      return node.kind === 'if' ? { ...node, then: numbered(node.then), else: numbered(node.else) } : node;
    });
  const nodes = numbered(shape);
  return { name: textOf(shape), nodes, places };
}

export const controlCases: readonly ControlCase[] = [
  ...new Map([...shapes()].map((shape) => [textOf(shape), caseOf(shape)])).values(),
];

/** Returns the PTX of a kernel, in which each thread loads its word and stores its result. */
export function controlKernel({ nodes, places }: ControlCase, lanes: number): string {
  let labels = 0;
  let loops = 0;
  const lines: string[] = [];
  const consume = (predicate: string): void => {
    lines.push('and.b32 %t, %c, 1;', `setp.ne.u32 ${predicate}, %t, 0;`, 'shr.u32 %c, %c, 1;');
  };
  const write = (list: readonly Node[], end: string, next: string): void => {
    for (const node of list) {
      switch (node.kind) {
        case 'ballot': {
          const result = `%r${node.place}`;
          consume('%p');
          lines.push('activemask.b32 %m;', 'vote.sync.ballot.b32 %d, %p, %m;', `xor.b32 ${result}, ${result}, %d;`);
          break;
        }
        case 'if': {
          const [otherwise, after] = [`L${labels++}`, `L${labels++}`];
          consume('%q');
          lines.push(`@!%q bra ${otherwise};`);
          write(node.then, end, next);
          lines.push(`bra ${after};`, `${otherwise}:`);
          write(node.else, end, next);
          lines.push(`${after}:`);
          break;
        }
        case 'loop': {
          const [start, again, after] = [`L${labels++}`, `L${labels++}`, `L${labels++}`];
          const counter = `%i${loops++}`;
          lines.push(`mov.u32 ${counter}, 0;`, `${start}:`);
          write(node.body, after, again);
          lines.push(`${again}:`, `add.u32 ${counter}, ${counter}, 1;`);
          lines.push(`setp.lt.u32 %q, ${counter}, ${iterations};`, `@%q bra ${start};`, `${after}:`);
          break;
        }
        default:
          consume('%q');
          lines.push(`@%q bra ${{ break: end, continue: next, exit: 'DONE' }[node.kind]};`);
      }
    }
  };
  write(nodes, 'DONE', 'DONE');
  const results = Array.from({ length: places }, (_, place) => place);
  return `.version 8.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out)
{
  .reg .pred %p, %q;
  .reg .b32 %c, %d, %m, %t, %i<8>, %r<8>;
  .reg .b64 %in, %out, %at;
  ld.param.u64 %in, [in];
  ld.param.u64 %out, [out];
  mov.u32 %t, %tid.x;
  mul.wide.u32 %at, %t, 4;
  add.s64 %in, %in, %at;
  add.s64 %out, %out, %at;
  ld.global.u32 %c, [%in];
${results.map((place) => `  mov.u32 %r${place}, 0;`).join('\n')}
${lines.map((line) => `  ${line}`).join('\n')}
DONE:
${results.map((place) => `  st.global.u32 [%out+${4 * lanes * place}], %r${place};`).join('\n')}
  ret;
}
`;
}

/** The state of a lane: the bits that are left, and the bits of its results by place. */
interface Lane {
  bits: readonly Term[];
  readonly results: (readonly Term[])[];
}

/** Returns the bits of the results by lane and place. `words`: the bits of each lane's word. */
export function controlResults(
  { nodes, places }: ControlCase,
  words: readonly (readonly Term[])[],
): readonly (readonly (readonly Term[])[])[] {
  const none = (): readonly Term[] => words.map(no);
  const lanes: Lane[] = words.map((bits) => ({ bits, results: Array.from({ length: places }, none) }));
  /** Returns the next bit of each lane. */
  const consume = (active: readonly Term[]): readonly Term[] =>
    lanes.map((lane, index) => {
      const [first = no(), ...rest] = lane.bits;
      lane.bits = lane.bits.map((bit, place) => ite(at(active, index, 'a lane'), rest[place] ?? no(), bit)); // Absent: the highest bit.
      return first;
    });
  const both = (a: readonly Term[], b: readonly Term[]): Term[] => a.map((each, i) => and(each, at(b, i, 'a lane')));
  const either = (a: readonly Term[], b: readonly Term[]): Term[] => a.map((each, i) => or(each, at(b, i, 'a lane')));
  const without = (a: readonly Term[], b: readonly Term[]): Term[] => both(a, b.map(not));
  interface Loop {
    left: readonly Term[];
    continues: readonly Term[];
  }
  /** Executes nodes in the active lanes. Returns the lanes that reach the end. */
  const execute = (list: readonly Node[], start: readonly Term[], around: Loop | undefined): readonly Term[] => {
    let active = start;
    for (const node of list) {
      const chosen = node.kind === 'loop' ? [] : both(active, consume(active));
      switch (node.kind) {
        case 'ballot':
          for (const [index, lane] of lanes.entries())
            lane.results[node.place] = at(lane.results, node.place, 'a place').map((bit, other) =>
              not(equal(bit, and(at(active, index, 'a lane'), at(chosen, other, 'a lane')))),
            );
          break;
        case 'if': {
          const then = execute(node.then, chosen, around);
          active = either(then, execute(node.else, without(active, chosen), around));
          break;
        }
        case 'loop': {
          const inner: Loop = { left: active.map(no), continues: [] };
          for (let iteration = 0; iteration < iterations; iteration++) {
            inner.continues = active.map(no);
            active = execute(node.body, active, inner);
            active = either(active, inner.continues);
          }
          active = either(active, inner.left);
          break;
        }
        default:
          if (around !== undefined && node.kind === 'break') around.left = either(around.left, chosen);
          if (around !== undefined && node.kind === 'continue') around.continues = either(around.continues, chosen);
          active = without(active, chosen);
      }
    }
    return active;
  };
  execute(
    nodes,
    words.map(() => not(no())),
    undefined,
  );
  return lanes.map(({ results }) => results);
}
