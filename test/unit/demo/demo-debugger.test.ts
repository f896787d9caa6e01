// The debugger of the page: recorded steps, moves between them, the state after a step, and lines
// of the CUDA source.
import { describe, expect, it } from 'vitest';
import { packTrace, ShownTrace } from '../../../demo/compiler/pack-trace.ts';
import { changedPart } from '../../../demo/editor/changed-part.ts';
import { cudaLines } from '../../../demo/program/cuda-lines.ts';
import { analyze, type LoadedProgram } from '../../../demo/program/program.ts';
import { backOver, nextExecution, runBackTo, runTo, stepOver } from '../../../demo/program/stepping.ts';
import { stateAfter, traceProgram } from '../../../demo/program/trace.ts';
import { type AppState, initialState } from '../../../demo/state.ts';
import { KernelCounters } from '../../../src/cpu-ref/counters.ts';
import { interpret } from '../../../src/cpu-ref/interpreter/interpret.ts';
import { shownCounters } from '../../../src/harness/executors/shown-counters.ts';

function programOf(text: string, more: Partial<AppState> = {}): LoadedProgram {
  const { program, diagnostics } = analyze({ ...initialState, text, ...more });
  if (!program) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  return program;
}

/** Each thread stores its number in shared memory, calls a function, and stores the result. */
const kernel = `.version 7.8
.target sm_80
.address_size 64
.func (.reg .b32 %sum) twice(.reg .b32 %x)
{
  add.u32 %sum, %x, %x;
  ret;
}
.visible .entry k(.param .u64 out)
{
  .reg .b32 %t, %c, %place, %double;
  .reg .b64 %out, %at;
  .shared .align 4 .b32 tile[32];
  mov.u32 %t, %tid.x;
  mov.u32 %c, %ctaid.x;
  mov.u32 %place, tile;
  mad.lo.u32 %place, %t, 4, %place;
  st.shared.u32 [%place], %t;
  call (%double), twice, (%t);
  ld.param.u64 %out, [out];
  mad.wide.u32 %at, %t, 4, %out;
  st.global.u32 [%at], %double;
  ret;
}
`;
const shape = { block: [32, 1, 1], grid: [2, 1, 1] } as const;

const lineOfOffset = (text: string, offset: number): number => text.slice(0, offset).split('\n').length;
const lineOf = (pattern: RegExp): number => kernel.split('\n').findIndex((line) => pattern.test(line)) + 1;

describe('a packed trace', () => {
  const program = programOf(kernel, shape);
  const trace = traceProgram(program);
  const shown = new ShownTrace(packTrace(trace));

  it('has the steps that were recorded', () => {
    expect(shown.length).toBe(trace.steps.length);
    expect(trace.steps.map((_, step) => shown.at(step))).toEqual(trace.steps);
    expect(shown.at(-1)).toBeUndefined();
    expect(shown.at(shown.length)).toBeUndefined();
  });

  it('keeps values of more than 64 bits', () => {
    const wide = { values: Array.from({ length: 32 }, (_, lane) => (1n << 100n) + BigInt(lane)), undefinedLanes: 2 };
    const [first] = trace.steps;
    const steps = first ? [{ ...first, before: new Map([['q', wide]]), after: new Map([['q', wide]]) }] : [];
    expect(new ShownTrace(packTrace({ ...trace, steps })).at(0)?.after.get('q')).toEqual(wide);
  });

  it('has the registers of the current function after a step', () => {
    const names = (line: number): string[] => {
      const step = trace.steps.findIndex(({ start }) => lineOfOffset(kernel, start) === line);
      return shown.registersAt(step).map(({ name }) => name);
    };
    expect(names(lineOf(/add\.u32/))).toEqual(['%sum', '%x']);
    expect(names(lineOf(/st\.global/))).toEqual(expect.arrayContaining(['%t', '%place', '%double', '%out', '%at']));
    expect(names(lineOf(/st\.global/))).not.toContain('%sum');
    const last = shown.registersAt(shown.length - 2);
    expect(last.find(({ name }) => name === '%double')?.values.slice(0, 4)).toEqual([0n, 2n, 4n, 6n]);
    expect(shown.typesAt(shown.length - 1).get('%out')).toBe('b64');
  });

  it('follows the chosen block and warp', () => {
    const values = (place: { cta: number; warp: number }, name: string) =>
      traceProgram(programOf(kernel, { ...shape, block: [64, 1, 1] }), place)
        .steps.flatMap(({ after }) => after.get(name)?.values[0] ?? [])
        .at(-1);
    expect(values({ cta: 1, warp: 0 }, '%c')).toBe(1n);
    expect(values({ cta: 0, warp: 1 }, '%t')).toBe(32n);
    // The grid has no such block, so the values are those of the last block.
    expect(values({ cta: 9, warp: 0 }, '%c')).toBe(1n);
  });
});

describe('moves', () => {
  const trace = new ShownTrace(packTrace(traceProgram(programOf(kernel, shape))));
  const line = (step: number): number => lineOfOffset(kernel, trace.startOf(step));
  const stepAt = (pattern: RegExp): number =>
    Array.from({ length: trace.length }, (_, step) => step).find((step) => line(step) === lineOf(pattern)) ?? -1;

  it('step over calls, in both directions', () => {
    const call = stepAt(/call/);
    expect(trace.depthOf(call + 1)).toBe(1);
    const after = stepOver(trace, call);
    expect(after).toBe(stepAt(/ld\.param/));
    expect(backOver(trace, after ?? -1)).toBe(call);
    // In the callee, `stepOver` moves by one step. At the callee's end, it returns to the caller.
    expect(stepOver(trace, call + 1)).toBe(call + 2);
    expect(stepOver(trace, call + 2)).toBe(after);
    expect(stepOver(trace, trace.length - 1)).toBeUndefined();
    expect(backOver(trace, 0)).toBeUndefined();
  });

  it('run to breakpoints, and back', () => {
    const lines = new Set([lineOf(/add\.u32/), lineOf(/st\.global/)]);
    const first = runTo(trace, 0, lines, line);
    expect(first).toBe(stepAt(/add\.u32/));
    const second = runTo(trace, first ?? -1, lines, line);
    expect(second).toBe(stepAt(/st\.global/));
    expect(runTo(trace, second ?? -1, lines, line)).toBeUndefined();
    expect(runBackTo(trace, second ?? -1, lines, line)).toBe(first);
  });

  it('find the next execution of a line, and begin again after the last', () => {
    const loop = 'mov.u32 i, 0;\nL:\nadd.u32 i, i, 1;\nsetp.lt.u32 p, i, 3;\n@p bra L;\n';
    const looped = new ShownTrace(packTrace(traceProgram(programOf(loop))));
    const of = (step: number): number => lineOfOffset(loop, looped.startOf(step));
    const visits = [0, 1, 2, 3].reduce<number[]>(
      (list) => [...list, nextExecution(looped, list.at(-1) ?? 0, new Set([3]), of) ?? -1],
      [],
    );
    expect(visits).toEqual([1, 4, 7, 1]);
    expect(nextExecution(looped, 0, new Set([99]), of)).toBeUndefined();
  });
});

describe('the state after a step', () => {
  const program = programOf(kernel, shape);
  const { steps } = traceProgram(program);
  const stateAt = (pattern: RegExp) => {
    const step = steps.findIndex(({ start }) => lineOfOffset(kernel, start) === lineOf(pattern));
    return stateAfter(program, { cta: 0, warp: 0 }, step);
  };

  it('has memory, and which of it is defined', () => {
    expect(stateAt(/mad\.lo/)?.shared.defined.slice(0, 4)).toEqual(Uint8Array.of(0, 0, 0, 0));
    const stored = stateAt(/st\.shared/);
    expect(stored?.shared.bytes.slice(4, 8)).toEqual(Uint8Array.of(1, 0, 0, 0));
    expect(stored?.shared.defined.slice(4, 8)).toEqual(Uint8Array.of(1, 1, 1, 1));
    expect(stored?.shared.arrays).toEqual([{ name: 'tile', start: 0, bytes: 128 }]);
    expect(
      stateAt(/st\.global/)
        ?.buffers.get(0)
        ?.bytes.slice(4, 5),
    ).toEqual(Uint8Array.of(2));
  });

  it('has the next instruction of each lane', () => {
    const lines = (stateAt(/mad\.lo/)?.next ?? []).map((offset) => lineOfOffset(kernel, offset));
    expect(new Set(lines)).toEqual(new Set([lineOf(/st\.shared/)]));
    expect(new Set(stateAfter(program, { cta: 0, warp: 0 }, steps.length - 1)?.next)).toEqual(new Set([-1]));
  });

  it('is undefined for a step that does not exist', () => {
    expect(stateAfter(program, { cta: 0, warp: 0 }, steps.length)).toBeUndefined();
  });
});

describe('lines of the CUDA source', () => {
  const ptx = `.version 7.8
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{
  .reg .b64 %out;
  .loc 1 12 3
  ld.param.u64 %out, [out];
  .loc 2 99 1
  add.s64 %out, %out, 0;
  .loc 1 14 5
  st.global.u32 [%out], 1;
  ret;
}
.file 1 "/home/me/k.cu"
.file 2 "/usr/include/cuda.h"
`;

  it('are those of the CUDA file, and not of the toolkit', () => {
    const found = cudaLines(programOf(ptx).kernel);
    expect(found?.file).toBe('k.cu');
    expect(found?.lines.map(({ ptxLine, cudaLine }) => `${ptxLine}:${cudaLine}`)).toEqual(['8:12', '12:14', '13:14']);
  });

  it('are absent without line information', () => {
    expect(cudaLines(programOf(kernel, shape).kernel)).toBeUndefined();
  });
});

describe('the changed part of a text', () => {
  it.each([
    ['abc', 'axc'],
    ['abc', 'abc'],
    ['', 'abc'],
    ['abc', ''],
    ['aaa', 'aaaa'],
    ['one\ntwo\n', 'one\n2\ntwo\n'],
  ])('of %j turns it into %j', (before, after) => {
    const { from, to, insert } = changedPart(before, after);
    expect(before.slice(0, from) + insert + before.slice(to)).toBe(after);
    expect(insert.length).toBeLessThanOrEqual(Math.max(0, after.length - before.length) + 2);
  });
});

describe('counters', () => {
  it('name the line with most of each', () => {
    const program = programOf(kernel, shape);
    const counters = new KernelCounters();
    interpret(program.kernel, program.launch, { observe: counters.observe });
    const shown = new Map(shownCounters(counters.counts).rows.map((counter) => [counter.name, counter]));
    expect(shown.get('Active lanes')?.value).toBe('32 of 32');
    expect(shown.get('Sectors per request')).toMatchObject({ value: '4', worst: undefined });
    expect(shown.get('Divergent branches')?.value).toBe('0');
    // Lanes that store to every second element touch twice as many sectors as they need.
    const sparse = programOf(kernel.replace('mad.wide.u32 %at, %t, 4', 'mad.wide.u32 %at, %t, 8'), shape);
    const counted = new KernelCounters();
    interpret(sparse.kernel, sparse.launch, { observe: counted.observe });
    const sectors = shownCounters(counted.counts).rows.find(({ name }) => name === 'Sectors per request');
    expect(sectors?.value).toBe('8');
    expect(lineOfOffset(kernel, sectors?.worst ?? -1)).toBe(lineOf(/st\.global/));
  });
});
