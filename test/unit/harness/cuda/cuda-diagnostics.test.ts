// Diagnostics for refusals of the driver's compiler. The messages are from ptxas 13.0.
import { expect, test } from 'vitest';
import { CudaError } from '../../../../src/harness/cuda/cuda-error.ts';
import { jitError } from '../../../../src/harness/executors/jit-diagnostics.ts';
import { launchOf } from './cuda-stub.ts';

const launch = launchOf('k', [], [], { ptx: '.version 8.6\n.target sm_90\n  foo.b32 %r1;\n', ptxFile: 'k.ptx' });
const aborted = 'ptxas fatal   : Ptx assembly aborted due to errors';

function refused(log: string, code = 218) {
  return jitError(launch, new CudaError({ kind: 'shader', message: 'refused', call: 'cuModuleLoadDataEx', code, log }));
}

test.each([
  ['invalid', "line 3; error   : Not a name of any known instruction: 'foo'"],
  ['invalid', "line 3; error   : Arguments mismatch for instruction 'ld'"],
  ['unsupported', "line 3; error   : Instruction 'redux.f32' not supported on .target 'sm_90'"],
  ['unsupported', "line 3; error   : Feature 'redux.f32' requires PTX ISA .version 8.6 or later"],
  ['unsupported', "line 3; error   : Instruction 'match' requires .target sm_70 or higher"],
  ['unsupported', "line 1; fatal   : Unsupported .version 9.9; current version is '9.0'"],
  ['unsupported', 'line 2; error   : PTX .version 6.0 does not support .target sm_100a'],
  [
    'unsupported',
    "line 3; error   : Instruction 'shfl' without '.sync' is not supported on .target sm_70 and higher from PTX ISA version 6.4",
  ],
  ['unsupported', "line 1; fatal   : Missing .version directive at start of file 'k.ptx'"],
])('%s: %s', (kind, line) => {
  expect(refused(`ptxas application ptx input, ${line}\n${aborted}`).kind).toBe(kind);
});

test('every line of the log is a diagnostic at its line; one real error makes it invalid', () => {
  const error = refused(
    [
      "ptxas application ptx input, line 2; error   : Instruction 'x' requires .target sm_100 or higher",
      "ptxas application ptx input, line 3; error   : Unknown symbol '%r1'",
      aborted,
    ].join('\n'),
  );
  expect(error.kind).toBe('invalid');
  const texts = error.diagnostics.map(({ span: { start, end } }) => launch.ptx.slice(start, end));
  expect(texts).toEqual(['.target sm_90', 'foo.b32 %r1;']);
  expect(error.diagnostics.map(({ code, message }) => `${code} ${message}`)).toEqual([
    "CUDA218 Instruction 'x' requires .target sm_100 or higher",
    "CUDA218 Unknown symbol '%r1'",
  ]);
});

test('without a log the error itself is the diagnostic', () => {
  const error = refused('', 209);
  expect(error.kind).toBe('unsupported');
  expect(error.diagnostics.map(({ message }) => message)).toEqual(['refused']);
});
