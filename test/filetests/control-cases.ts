// Cases that test the passes over the control tree. Their input is IR, or the text of a control
// tree.
import { type LanePlan, planFor, portablePlan } from '../../src/base/lane-plan.ts';
import { analyzeUniformity } from '../../src/translate/analysis/uniformity.ts';
import { lowerControl } from '../../src/translate/control/index.ts';
import { keptValues } from '../../src/translate/control/kept-values.ts';
import { noNeeds } from '../../src/translate/control/masks.ts';
import { parseControl } from '../../src/translate/control/parse.ts';
import { placeMasks } from '../../src/translate/control/place-masks.ts';
import { printControl } from '../../src/translate/control/print.ts';
import type { Tree } from '../../src/translate/control/tree.ts';
import { assertControl, type ControlStage } from '../../src/translate/control/verify.ts';
import { parseProgram } from '../../src/translate/ir/parse.ts';
import { namesOf } from '../../src/translate/ir/print-insts.ts';
import { verifyProgram } from '../../src/translate/ir/verify.ts';
import { type FileCase, withoutComments } from './file-cases.ts';

/** Lane plans by the names that cases use. */
const plans: Readonly<Record<string, LanePlan>> = {
  native: planFor(32),
  wide: planFor(64),
  narrow: planFor(8),
  'portable lane': portablePlan('lane'),
  'portable warp': portablePlan('warp'),
};

type Head = ReadonlyMap<string, string>;

/** Reads the first line of a case, such as `block 64; plan wide`. */
function readHead({ head, title }: FileCase): Head {
  const options = head
    .split(';')
    .map((part) => part.trim())
    .map((part): [string, string] => [part.split(' ')[0] ?? '', part.split(' ').slice(1).join(' ')]);
  const known = ['structure', 'lower-control', 'verify', 'block', 'plan', 'sinks-rest'];
  for (const [key] of options) if (!known.includes(key)) throw new Error(`${title}: unknown option \`${key}\``);
  return new Map(options);
}

function planOf(head: Head): LanePlan {
  const name = head.get('plan') ?? 'native';
  const plan = plans[name];
  if (plan === undefined) throw new Error(`no plan is called \`${name}\``);
  return plan;
}

/** Returns the result of a case as text. */
export function runCase(each: FileCase): string {
  const head = readHead(each);
  const text = withoutComments(each.before);
  const stage = head.get('verify');
  if (stage !== undefined) return refusal(text, stage === 'structure' ? stage : 'lower-control');
  return text.startsWith('control') ? masked(text, head) : lowered(text, head);
}

/** Returns the verifier's message. */
function refusal(text: string, stage: ControlStage): string {
  const { tree } = parseControl(text);
  try {
    assertControl(tree, stage);
  } catch (error) {
    return `${error instanceof Error ? error.message : String(error)}\n`;
  }
  return 'accepted\n';
}

/** Returns the tree with masks. The scopes of the `if`s must already be in the input. */
function masked(text: string, head: Head): string {
  const { tree, ...named } = parseControl(text);
  assertControl(tree, 'structure');
  const plan = planOf(head);
  const facts = {
    plan,
    keptUntil: keptValues(tree),
    sinksRest: head.has('sinks-rest'),
  };
  const placed = placeMasks(tree, facts, noNeeds).tree;
  assertControl(placed, 'lower-control');
  return printed(placed, named);
}

/** Returns the control tree of a kernel in IR, with the facts of the uniformity analysis. */
function lowered(text: string, head: Head): string {
  const { program } = parseProgram(text);
  const wrong = verifyProgram(program, { legal: true });
  if (wrong.length > 0) throw new Error(wrong.join('\n'));
  const { kernel } = program;
  const [x = 1, y = 1, z = 1] = (head.get('block') ?? '32').split('x').map(Number);
  const plan = planOf(head);
  const usesWarps = kernel.blocks.some(({ insts }) => insts.some(({ operation }) => operation.effect === 'warp'));
  let after = '';
  const { mode, reason, tree } = lowerControl(kernel, {
    plan,
    block: [x, y, z],
    mapping: usesWarps && !(plan.kind === 'portable' && plan.shape === 'lane') ? 'warps' : 'threads',
    sinksRest: head.has('sinks-rest'),
    facts: () => analyzeUniformity(program, { arrays: [] }, [x, y, z]),
    observe: (pass, list) => {
      assertControl(list, pass);
      if (head.has(pass)) after = printed(list, { name: kernel.name, names: namesOf(kernel) });
    },
  });
  if (head.has('structure')) return after;
  if (tree.length === 0) throw new Error(`${kernel.name} has an empty tree`);
  return `; ${mode}${reason === undefined ? '' : `: ${reason}`}\n${after}`;
}

/** Prints a tree. Parsing and printing the result again must yield the same text. */
function printed(tree: readonly Tree[], named: Parameters<typeof printControl>[1]): string {
  const text = printControl(tree, named);
  const { tree: again, ...names } = parseControl(text);
  if (printControl(again, names) !== text) throw new Error(`printed again:\n${printControl(again, names)}`);
  return text;
}
