// Fragments as kernels, with inputs and outputs of every width and predicates.
import { describe, expect, it } from 'vitest';
import type { BufferParam, Launch } from '../../../../src/base/launch.ts';
import { cpuExecutor } from '../../../../src/harness/executors/cpu-executor.ts';
import { fragmentText } from '../../../../src/harness/executors/fragment-text.ts';
import { parseModule } from '../../../../src/harness/executors/load-kernel.ts';
import { fragmentToKernel, inputName, outputName } from '../../../../src/harness/launches/fragment-kernel.ts';
import type { PtxFunction } from '../../../../src/ptx/ast.ts';

const text = `
    @p add.u32 x, x, 1;
    vote.sync.ballot.b32 %votes, p, 0xffffffff;
    match.any.sync.b64 same, key, 0xffffffff;
    not.pred q, p;
`;
const lanes = Array.from({ length: 32 }, (_, lane) => lane);
const words = (values: readonly number[]): Uint8Array => new Uint8Array(Uint32Array.from(values).buffer);
const buffer = (name: string, data: Uint8Array): BufferParam => ({
  name,
  kind: 'buffer',
  type: 'u32',
  bytes: data.length,
  data,
});
const empty = new Uint8Array(32 * 4);

describe('fragmentToKernel', () => {
  const module = parseModule(text, 'fragment');

  it('makes a parameter of each input and output register', () => {
    const [kernel] = fragmentToKernel(module).functions;
    expect(kernel?.params.map(({ name }) => name)).toEqual([
      ...module.inputs.map(inputName),
      ...module.outputs.map(outputName),
    ]);
    expect(module.inputs.map(({ name, type }) => `${name} ${type}`).sort()).toEqual(['key b64', 'p pred', 'x b32']);
  });

  it('loads, executes and stores', async () => {
    const keys = BigUint64Array.from(lanes.map((lane) => (BigInt(lane % 2) << 40n) | 5n));
    const inputs: Readonly<Record<string, Uint8Array>> = {
      in_p: words(lanes.map((lane) => (lane < 3 ? 1 : 0))),
      in_x: words(lanes.map((lane) => lane * 10)),
      in_key: new Uint8Array(keys.buffer),
    };
    const outputs = ['out_x', 'out_votes', 'out_same', 'out_q'];
    const params = [
      ...module.inputs.map((register) => buffer(inputName(register), inputs[inputName(register)] ?? empty)),
      ...outputs.map((name) => buffer(name, empty)),
    ];
    const launch: Launch = {
      id: 'fragment',
      group: 'test',
      ptx: text,
      ptxFile: 'fragment',
      entry: 'fragment',
      grid: [1, 1, 1],
      block: [32, 1, 1],
      sharedBytes: 0,
      params,
    };
    const run = await cpuExecutor().run(launch);
    const output = (name: string): number[] => {
      const bytes = run.outputs.get(params.findIndex((param) => param.name === name)) ?? empty;
      return Array.from(new Uint32Array(bytes.slice().buffer));
    };
    expect(output('out_x')).toEqual(lanes.map((lane) => lane * 10 + (lane < 3 ? 1 : 0)));
    expect(output('out_votes')).toEqual(lanes.map(() => 0b111));
    expect(output('out_same')).toEqual(lanes.map((lane) => (lane % 2 === 0 ? 0x55555555 : 0xaaaaaaaa)));
    expect(output('out_q')).toEqual(lanes.map((lane) => (lane < 3 ? 0 : 1)));
  });

  it.each([
    ['PTX', text],
    [
      'PTX with memory, immediates and a branch',
      '.shared .b32 w[32];\n mov.f32 f, 0f3F800000;\n @!p bra L;\n st.shared.b32 [w+4], x;\nL:\n ld.shared.b32 y, [w+4];\n activemask.b32 m;',
    ],
    ['SASS', 'SHFL.UP P1, Ry, Rx, 1, 0\n@P1 FADD Rx, Ry, Rx\nSHFL.BFLY __, Rz, Rx, 2, 0x1C03'],
  ])('becomes the text of a module: %s', (_, source) => {
    const fragment = parseModule(source, 'fragment');
    const written = fragmentText(fragment, { inputs: fragment.inputs, outputs: fragment.outputs });
    const direct = fragmentToKernel(fragment).functions[0];
    const parsed = parseModule(written, 'written').functions[0];
    const shape = (body: PtxFunction['body'] = []) =>
      body.map((statement) =>
        statement.kind === 'instruction'
          ? [statement.row.name, statement.mods, Object.keys(statement.operands), statement.guard?.negated]
          : statement.kind,
      );
    expect(shape(parsed?.body)).toEqual(shape(direct?.body));
    expect(parsed?.params.map(({ name }) => name)).toEqual(direct?.params.map(({ name }) => name));
  });

  it.each([
    ['shfl.up.b32 y, x, 1, 0;', '.version 6.3\n.target sm_60\n'],
    ['add.u32 y, x, 1;', '.version 6.0\n.target sm_70\n'],
    ['add.u32 y, x, 1; redux.sync.add.u32 z, y, 0xffffffff;', '.version 7.0\n.target sm_80\n'],
    ['redux.sync.add.u32 z, y, 0xffffffff; elect.sync _|p, 0xffffffff;', '.version 8.0\n.target sm_90\n'],
    ['redux.sync.min.f32 z, y, 0xffffffff; elect.sync _|p, 0xffffffff;', '.version 8.6\n.target sm_100a\n'],
  ])('%s requires the version and target of its instructions', (source, head) => {
    const fragment = parseModule(source, 'fragment');
    expect(fragmentText(fragment, { inputs: fragment.inputs, outputs: fragment.outputs })).toContain(head);
  });

  it('leaves a module unchanged', () => {
    const kernel = parseModule('.version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }', 'k');
    expect(fragmentToKernel(kernel)).toBe(kernel);
  });
});
