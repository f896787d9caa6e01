// The page's state for a text, without a page: programs, steps, lanes, edits, links.
import { describe, expect, it } from 'vitest';
import { formatBits, parseBits, shorten } from '../../../demo/format.ts';
import { decodeState, encodeState } from '../../../demo/link.ts';
import { constantOperands, modifierSlots, setConstant, setModifier } from '../../../demo/program/edit-operands.ts';
import { inputBits } from '../../../demo/program/inputs.ts';
import { lineMap } from '../../../demo/program/line-map.ts';
import { runMessages } from '../../../demo/program/messages.ts';
import { analyze, type LoadedProgram } from '../../../demo/program/program.ts';
import { type Scene, sceneOf } from '../../../demo/program/scene.ts';
import { traceProgram } from '../../../demo/program/trace.ts';
import { translateProgram } from '../../../demo/program/translation.ts';
import { type AppState, initialState } from '../../../demo/state.ts';
import { planFor } from '../../../src/base/lane-plan.ts';
import type { FloatProfile } from '../../../src/translate/index.ts';

const fastFloat: FloatProfile = {
  mode: 'fast',
  denormals: 'flushed',
  fma: 'fused',
  contracts: false,
  div: 'approx',
  sqrt: 'approx',
};

function programOf(text: string, more: Partial<AppState> = {}): LoadedProgram {
  const { program, diagnostics } = analyze({ ...initialState, text, ...more });
  if (!program) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  return program;
}

function scenesOf(text: string, more: Partial<AppState> = {}): Scene[] {
  return traceProgram(programOf(text, more)).steps.map(sceneOf);
}

describe('steps', () => {
  it('show a shuffle as in the manual: sources, range, segments', () => {
    // Width 8, c = 0x1800: lanes 8, 16 and 24 start segments. Lane 8 has no lane before it.
    const [scene] = scenesOf('shfl.sync.up.b32 d|p, a, 1, 0x1800, 0xffffffff;');
    expect(scene?.kind).toBe('shuffle');
    expect(scene?.lanes.filter(({ border }) => border).map(({ lane }) => lane)).toEqual([8, 16, 24]);
    expect(scene?.lanes[8]).toMatchObject({ reads: 8, inRange: false, executes: true, member: true });
    expect(scene?.lanes[9]).toMatchObject({ reads: 8, inRange: true });
    expect(scene?.results.find(({ name }) => name === 'd')?.values.slice(7, 10)).toEqual([6n, 8n, 8n]);
  });

  it('show the values before the instruction, even of a register that it writes', () => {
    const scenes = scenesOf('add.u32 x, x, 1;\nadd.u32 x, x, 1;');
    expect(scenes.map(({ sources }) => sources[0]?.values[5])).toEqual([5n, 6n]);
    expect(scenes.map(({ results }) => results[0]?.values[5])).toEqual([6n, 7n]);
  });

  it('show lanes that a guard disables, and exited lanes', () => {
    const [scene] = scenesOf('@q add.u32 x, y, 1;', { runs: 0x0000_ffff });
    // q alternates, so odd lanes execute.
    expect(scene?.lanes.filter(({ executes }) => executes).map(({ lane }) => lane)).toEqual([
      1, 3, 5, 7, 9, 11, 13, 15,
    ]);
    expect(scene?.lanes[20]).toMatchObject({ executes: false, exited: true });
  });

  it('show groups: by value for match.any, by membermask for votes', () => {
    const values = { pattern: 'values', value: '7, 8' } as const;
    const [match] = scenesOf('match.any.sync.b32 d, a, 0xffffffff;', { inputs: new Map([['a', values]]) });
    expect(match?.lanes[0]?.group).toBe(0x5555_5555);
    expect(match?.lanes[1]?.group).toBe(0xaaaa_aaaa);
    const [vote] = scenesOf('vote.sync.any.pred d, q, 0xffffffff;');
    expect(vote?.lanes[3]?.group).toBe(0xffff_ffff);
  });

  it('mark lanes that source an exited lane as undefined', () => {
    const [scene] = scenesOf('shfl.sync.down.b32 d|p, a, 1, 0x1f, 0xffffffff;', { runs: ~(1 << 9) >>> 0 });
    expect(scene?.lanes.filter((facts) => facts.undefined).map(({ lane }) => lane)).toEqual([8]);
  });

  it('are at their places in the text, after the lines that the page adds', () => {
    const text = '// note\nadd.u32 x, y, 1;';
    const { steps } = traceProgram(programOf(text, { runs: 1 }));
    expect(steps.map(({ start, end }) => text.slice(start, end).replace(/;$/, ''))).toEqual(['add.u32 x, y, 1']);
  });

  it('are limited if a kernel never ends', () => {
    const { findings } = traceProgram(programOf('L:\nadd.u32 x, x, 1;\nbra L;'), undefined, Number.POSITIVE_INFINITY);
    expect(findings.map(({ code }) => code)).toContain('RUN014');
  });

  it('show the reference’s findings at their place', () => {
    const program = programOf('shfl.sync.down.b32 d|p, a, 1, 0x1f, 0xfffffffe;');
    const found = runMessages(traceProgram(program).findings, program.prefix);
    expect(found.map(({ code, origin }) => [code, origin])).toContainEqual(['RUN001', 'run']);
  });
});

describe('edits', () => {
  const text = '@p shfl.sync.up.b32 d|p, a, 0x1, 0x0, 0xffffffff;';
  const [step] = traceProgram(programOf(text)).steps;

  it.each([
    ['b', 17, '@p shfl.sync.up.b32 d|p, a, 17, 0x0, 0xffffffff;'],
    ['c', 0x1c03, '@p shfl.sync.up.b32 d|p, a, 0x1, 0x1c03, 0xffffffff;'],
    ['membermask', 0xff, '@p shfl.sync.up.b32 d|p, a, 0x1, 0x0, 0x000000ff;'],
  ])('write %s', (name, value, expected) => {
    if (!step) throw new Error('no step');
    const operand = constantOperands(step.instruction, 0).find((candidate) => candidate.name === name);
    if (!operand) throw new Error('no operand');
    const { from, to, insert } = setConstant(operand, value);
    expect(text.slice(0, from) + insert + text.slice(to)).toBe(expected);
  });

  it('write a modifier', () => {
    if (!step) throw new Error('no step');
    const [slot] = modifierSlots(step.instruction, false);
    expect(slot).toMatchObject({ name: 'mode', value: 'up', values: ['up', 'down', 'bfly', 'idx'] });
    const edit = slot && setModifier(text, step.start, step.end, slot, 'bfly');
    expect(edit && text.slice(0, edit.from) + edit.insert + text.slice(edit.to)).toContain('@p shfl.sync.bfly.b32');
  });
});

describe('lines', () => {
  /** Returns the lines of WGSL for each line of the text, as one string. */
  async function wgslOf(text: string, more: Partial<AppState> = {}): Promise<Map<number, string>> {
    const { code, lines } = await translateProgram(programOf(text, more), { plan: planFor(32), float: fastFloat });
    const wgsl = code.split('\n');
    const pairs = [...lineMap(lines).toWgsl];
    return new Map(pairs.map(([line, places]) => [line, places.map((place) => wgsl[place - 1]?.trim()).join('\n')]));
  }

  const text = 'shfl.up.b32 y|p, x, 1, 0;\n@p add.u32 x, y, x;\n// A comment.\n@p add.u32 x, y, x; // again\n';

  it('pair repeated instructions in order, and omit the frame of a fragment', async () => {
    const lines = await wgslOf(text);
    expect([...lines.keys()]).toEqual([1, 2, 4]);
    expect(lines.get(1)).toContain('subgroupShuffle(');
    for (const line of [2, 4]) expect(lines.get(line)).toMatch(/^\/\/ @p add\.u32 x, y, x;\nlet x\S* = [^\n]*$/);
  });

  it('omit the lines that the page adds before the text', async () => {
    const lines = await wgslOf(text, { runs: 0xffff });
    expect([...lines.keys()]).toEqual([1, 2, 4]);
    expect([...lines.values()].join('\n')).not.toContain('exit');
  });
});

describe('values', () => {
  it.each([
    [0xffff_ffffn, 's32', 'auto', '-1'],
    [0x3fc0_0000n, 'f32', 'auto', '1.5'],
    [0x8000_0000n, 'f32', 'auto', '-0'],
    [0x7fc0_0000n, 'f32', 'auto', 'NaN'],
    [0x3ff8_0000_0000_0000n, 'f64', 'auto', '1.5'],
    [1n, 'pred', 'hex', '1'],
    [255n, 'b32', 'hex', '0x000000ff'],
    [0xffff_fff0n, 'b32', 'signed', '-16'],
  ] as const)('%s as %s (%s) is %s', (bits, type, format, text) => expect(formatBits(bits, type, format)).toBe(text));

  it.each([
    ['-1', 'u32', 0xffff_ffffn],
    ['0xff', 's32', 255n],
    ['1.5', 'f32', 0x3fc0_0000n],
    ['-inf', 'f32', 0xff80_0000n],
    ['-1', 'b64', 0xffff_ffff_ffff_ffffn],
    ['true', 'pred', 1n],
    ['1.5', 'u32', undefined],
    ['', 'f32', undefined],
    ['x', 'b32', undefined],
  ] as const)('%s typed for %s is %s', (text, type, bits) => expect(parseBits(text, type)).toBe(bits));

  it('fit a cell', () => {
    expect(
      ['123456', '1.23456789', '0xdeadbeef', '-0.000012345'].map((text) => shorten(text, 5)).map((text) => text.length),
    ).toEqual([5, 4, 5, 5]);
  });

  it('repeat the typed values over all lanes', () => {
    expect(inputBits({ pattern: 'values', value: '1, 2' }, 'u32', 5)).toEqual([1n, 2n, 1n, 2n, 1n]);
  });
});

describe('links', () => {
  it('contain the state, without the defaults', async () => {
    const state: AppState = {
      ...initialState,
      text: 'shfl…\n'.repeat(50),
      step: 3,
      inputs: new Map([['a', { pattern: 'random', value: '9' }]]),
    };
    const hash = (await encodeState(state)) ?? '';
    expect(hash.length).toBeLessThan(200);
    expect(hash).toMatch(/^s=[\w-]+$/);
    expect(await decodeState(`#${hash}`)).toEqual(state);
  });

  it.each(['', '#', '#s=', '#s=!!!!', '#s=abcd', '#other=1'])('refuse %s', async (hash) => {
    expect(await decodeState(hash)).toBeUndefined();
  });

  it('refuse a value of another kind', async () => {
    const odd = Object.assign({}, initialState, {
      step: -1,
      block: 'x',
      view: 'admin',
      inputs: new Map([['a', { pattern: 'evil', value: '' }]]),
    });
    expect(await decodeState(`#${await encodeState(odd)}`)).toEqual(initialState);
  });
});

describe('modules', () => {
  const text = `.version 7.0
.target sm_70
.address_size 64
.visible .entry first(.param .u64 p, .param .u32 n) { ret; }
.visible .entry second(.param .f32 x) { ret; }`;

  it('accept pointers for buffers, and other parameters as numbers', () => {
    const program = programOf(text, { block: [64, 1, 1], grid: [2, 1, 1] });
    expect(program.entries.map(({ name }) => name)).toEqual(['first', 'second']);
    expect(program.launch.params).toMatchObject([
      { name: 'p', kind: 'buffer', type: 'u32' },
      { name: 'n', kind: 'scalar', type: 'u32' },
    ]);
    const second = programOf(text, {
      entry: 'second',
      inputs: new Map([['x', { pattern: 'constant', value: '2.5' }]]),
    });
    expect(second.launch.params).toMatchObject([{ name: 'x', kind: 'scalar', type: 'f32', value: 2.5 }]);
  });
});
