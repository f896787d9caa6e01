// The launches that the page suggests for a pasted kernel, and its verdicts.
import { readFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { columnRanges, elementNumbers, finiteRange, grey } from '../../../demo/program/element-numbers.ts';
import { analyze, type LoadedProgram } from '../../../demo/program/program.ts';
import { verdictOf } from '../../../demo/program/verdict.ts';
import { type AppState, initialState } from '../../../demo/state.ts';
import { scalarFormats } from '../../../src/base/scalars.ts';
import { interpret } from '../../../src/cpu-ref/interpreter/interpret.ts';
import { writtenElements } from '../../../src/harness/compare/written.ts';

function programOf(file: string, entry: string, more: Partial<AppState> = {}): LoadedProgram {
  const text = readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');
  const { program, diagnostics } = analyze({ ...initialState, text, entry, ...more });
  if (!program) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  return program;
}

/**
 * Describes each parameter of a launch, such as `f32[256]` for a buffer, or the value of a number.
 */
const shapes = ({ launch }: LoadedProgram): string[] =>
  launch.params.map((param) =>
    param.kind === 'buffer'
      ? `${param.type}[${param.bytes / scalarFormats[param.type].bytes}]`
      : param.kind === 'scalar'
        ? String(param.value)
        : `${param.data.length} bytes`,
  );

describe('a pasted kernel of nvcc', () => {
  it('gets buffers of the elements that it accesses, with their types', () => {
    const program = programOf('docs/examples/saxpy.ptx', 'saxpy');
    expect(program.launch.block).toEqual([128, 1, 1]);
    expect(program.launch.grid).toEqual([2, 1, 1]);
    expect(shapes(program)).toEqual(['256', '2', 'f32[256]', 'f32[256]']);
    expect(program.tolerance).toBeUndefined();
  });

  it('runs on the reference without findings, and writes', () => {
    const { kernel, launch } = programOf('docs/examples/saxpy.ptx', 'saxpy');
    const { status, findings, writers, outputs } = interpret(kernel, launch, { sanitize: true, trackWriters: true });
    expect({ status, findings }).toEqual({ status: 'done', findings: [] });
    const written = writtenElements(launch, writers, outputs);
    // x is an input; all elements of y are results.
    expect([...written].map(([index, marks]) => [index, marks.filter((mark) => mark === 1).length])).toEqual([
      [3, 256],
    ]);
  });

  it('gets buffers with more elements than it has threads', () => {
    // Each thread stores 20 results.
    expect(shapes(programOf('test/kernels/float.ptx', 'float_rounded'))[3]).toBe('f32[5120]');
  });

  it('gets counts with which it writes', () => {
    // Threads below `n - first` write, so the two numbers must differ.
    const text = `.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 n, .param .u32 first)
{
  .reg .b32 %r<5>; .reg .b64 %rd<4>; .reg .pred %p;
  ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [n]; ld.param.u32 %r2, [first];
  mov.u32 %r3, %tid.x; sub.s32 %r4, %r1, %r2; setp.ge.s32 %p, %r3, %r4; @%p ret;
  mul.wide.u32 %rd2, %r3, 4; add.s64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r3;
  ret;
}`;
    const { program } = analyze({ ...initialState, text });
    if (!program) throw new Error('no program');
    expect(shapes(program)).toEqual(['u32[127]', '128', '1']);
  });

  it('gets the chosen block, and sizes that fit it', () => {
    const program = programOf('docs/examples/saxpy.ptx', 'saxpy', { block: [32, 1, 1], grid: [1, 1, 1] });
    expect(shapes(program)).toEqual(['32', '2', 'f32[32]', 'f32[32]']);
  });

  it('keeps a chosen count, and infers the others', () => {
    const spec = { pattern: 'constant', value: '1', as: 'buffer', type: 'f32', count: 300 } as const;
    const program = programOf('docs/examples/saxpy.ptx', 'saxpy', { inputs: new Map([['saxpy_param_3', spec]]) });
    expect(shapes(program)).toEqual(['256', '2', 'f32[256]', 'f32[300]']);
  });

  describe('in which threads conflict', () => {
    /** Each block stores its index to one place, and each thread loads the place of `load`. */
    const blocksConflict = (load: string): string => `.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 in)
{
  .reg .b32 %r<9>; .reg .b64 %rd<9>;
  ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in];
  mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;
  ${load}
  mul.wide.u32 %rd3, %r1, 4; add.s64 %rd4, %rd1, %rd3; st.global.u32 [%rd4], %r2;
  ret;
}`;
    const programOfText = (text: string): LoadedProgram => {
      const { program } = analyze({ ...initialState, text });
      if (!program) throw new Error('no program');
      return program;
    };

    it('has the threads that suit it, although a smaller launch hides the conflicts', () => {
      const { kernel, launch, conflicting } = programOfText(blocksConflict(''));
      expect(launch.grid).toEqual([2, 1, 1]);
      const { findings } = interpret(kernel, launch, { sanitize: true });
      expect(findings.map(({ code }) => code)).toContain('RUN010');
      expect(conflicting).toBeUndefined();
    });

    it('names the launch in which they conflict, if that launch does not suit it', () => {
      // The second block reads before the start of the buffer.
      const load = 'mul.wide.s32 %rd5, %r2, -4096; add.s64 %rd6, %rd2, %rd5; ld.global.u32 %r3, [%rd6];';
      const { launch, conflicting } = programOfText(blocksConflict(load));
      expect(launch.grid).toEqual([1, 1, 1]);
      expect(conflicting).toEqual({ grid: [2, 1, 1], block: [128, 1, 1], findings: expect.any(Number) });
    });
  });

  it('does not depend on the time', () => {
    const kernel = ['test/kernels/float.ptx', 'float_rounded'] as const;
    const shown = shapes(programOf(...kernel));
    // Each reading of the clock is an hour later than the previous reading.
    let hours = 0;
    const now = vi.spyOn(performance, 'now').mockImplementation(() => 3_600_000 * hours++);
    expect(shapes(programOf(...kernel))).toEqual(shown);
    now.mockRestore();
  });

  it('has the names of its parameters, if the page has the CUDA source', () => {
    const cuda = readFileSync(new URL('../../../docs/examples/saxpy.cu', import.meta.url), 'utf8');
    const { titles } = programOf('docs/examples/saxpy.ptx', 'saxpy', { cuda });
    expect([...titles]).toEqual([
      ['saxpy_param_0', 'n'],
      ['saxpy_param_1', 'a'],
      ['saxpy_param_2', 'x'],
      ['saxpy_param_3', 'y'],
    ]);
    expect(programOf('docs/examples/saxpy.ptx', 'saxpy', { cuda: 'void other();' }).titles.size).toBe(0);
  });

  it('has the C++ names of its kernels', () => {
    const text = `.version 7.0\n.target sm_70\n.address_size 64\n.visible .entry _Z5saxpyifPfS_(.param .u64 p) { ret; }`;
    expect(analyze({ ...initialState, text }).program?.entries).toEqual([
      { name: '_Z5saxpyifPfS_', title: 'saxpy(int, float, float*, float*)' },
    ]);
  });
});

describe('a verdict', () => {
  const comparison = { compared: 64, partial: 0, undefined: 0, mismatches: 0, first: undefined };
  const outcome = { comparison, problem: '', written: 10, findings: [], conflicting: undefined, tolerance: undefined };

  it('counts written elements only', () => {
    expect(verdictOf(outcome)).toEqual({
      kind: 'agrees',
      title: 'Agrees',
      text: 'All 10 written values agree with the reference.',
    });
  });

  it('says how many values differ', () => {
    const { kind, text } = verdictOf({ ...outcome, comparison: { ...comparison, mismatches: 3 } });
    expect([kind, text]).toEqual(['differs', '3 of 10 written values differ from the reference.']);
  });

  it('names undefined behavior first, even if the values agree', () => {
    const { kind, title, text } = verdictOf({ ...outcome, findings: [{ code: 'RUN008' }, { code: 'RUN010' }] });
    expect([kind, title]).toEqual(['undefined', 'Undefined behavior (2 findings)']);
    expect(text).toContain('All 10 written values agree');
  });

  it('is not undefined behavior for undefined lanes that the kernel may ignore', () => {
    expect(verdictOf({ ...outcome, findings: [{ code: 'RUN003' }] }).kind).toBe('agrees');
  });

  it('names another launch in which threads conflict, unless this run has findings', () => {
    const conflicting = { grid: [4, 1, 1], block: [32, 8, 1], findings: 12 } as const;
    expect(verdictOf({ ...outcome, conflicting })).toEqual({
      kind: 'agrees',
      title: 'Agrees',
      text: 'All 10 written values agree with the reference. But threads conflict at grid 4 with blocks of 32 × 8, which the page has also tried: 12 findings.',
    });
    expect(verdictOf({ ...outcome, findings: [{ code: 'RUN010' }], conflicting }).text).not.toContain('But');
  });

  it('is neutral without a written element, and says where to look', () => {
    const { kind, title, text } = verdictOf({ ...outcome, written: 0 });
    expect([kind, title]).toEqual(['neutral', 'No buffer changed']);
    expect(text).toMatch(/threads/);
  });

  it('is neutral if PTX defines no written value, or the reference has no result', () => {
    expect(verdictOf({ ...outcome, comparison: { ...comparison, undefined: 10 } }).title).toBe('Nothing to compare');
    const problem = 'the launch did not end';
    expect(verdictOf({ ...outcome, comparison: undefined, problem })).toMatchObject({ kind: 'neutral', text: problem });
  });
});

describe('the elements of a buffer', () => {
  it('are numbers of their type, or of the register that they hold', () => {
    const bytes = new Uint8Array(Float32Array.of(1.5, -2).buffer);
    expect(elementNumbers(bytes, 'f32', 'u32')).toEqual([1.5, -2]);
    expect(elementNumbers(bytes.subarray(0, 7), 'u32', 'u32')).toEqual([0x3fc00000]);
  });

  it('have a finite range, and greys in it', () => {
    const range = finiteRange([3, Number.NaN, -1, Number.POSITIVE_INFINITY]);
    expect(range).toEqual([-1, 3]);
    expect([-1, 1, 3, Number.NaN].map((number) => grey(number, range))).toEqual([0, 128, 255, undefined]);
    expect(finiteRange([Number.NaN])).toEqual([0, 0]);
    expect(grey(5, [5, 5])).toBe(128);
  });

  it('become one range for each column of a plot', () => {
    expect(columnRanges([1, 5, 2, Number.NaN], 2)).toEqual([
      [1, 5],
      [2, 2],
    ]);
    expect(columnRanges([7], 10)).toEqual([[7, 7]]);
    expect(columnRanges([Number.NaN], 1)).toEqual([undefined]);
  });
});
