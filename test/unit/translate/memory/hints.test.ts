// Hints are accepted where PTX allows them, and change no defined result.
import { describe, expect, test } from 'vitest';
import { compareOutputs } from '../../../../src/harness/compare/compare.ts';
import { cpuExecutor } from '../../../../src/harness/executors/cpu-executor.ts';
import { lockstepExecutor } from '../../../lockstep/lockstep-executor.ts';
import { each, kernelLaunch, runKernel } from '../../cpu-ref/interpreter/interpreter-support.ts';

const body = `createpolicy.fractional.L2::evict_last.b64 %rd5, 1.0; createpolicy.fractional.L2::evict_first.L2::evict_unchanged.b64 %rd6;
createpolicy.range.global.L2::evict_last.b64 %rd7, [%rd0], 64, 128; createpolicy.cvt.L2.b64 %rd8, %rd0; griddepcontrol.wait;
st.global.L2::cache_hint.b32 [%rd1], %r0, %rd5; applypriority.global.L2::evict_normal [%rd0], 128; griddepcontrol.launch_dependents;
ld.global.L1::evict_last.L2::cache_hint.L2::128B.b32 %r5, [%rd1], %rd6; add.u32 %r5, %r5, 7; st.global.L2::cache_hint.b32 [%rd1], %r5, %rd7;`;

test('hints change nothing', async () => {
  const launch = kernelLaunch(body);
  const { out, findings } = runKernel(body, { sanitize: true });
  expect(findings).toEqual([]);
  expect(out).toEqual(each(32, (i) => i + 7));
  const { outputs: expected } = await cpuExecutor().run(launch);
  const { outputs } = await lockstepExecutor(32).run(launch);
  expect(compareOutputs(launch, expected, outputs, {}).mismatches).toBe(0);
});

describe('discarded memory', () => {
  test('is undefined until the next write', async () => {
    const discarded =
      'st.global.u32 [%rd1], %r0; bar.warp.sync -1; setp.eq.u32 %p1, %r0, 0; @%p1 discard.global.L2 [%rd0], 128; bar.warp.sync -1;';
    const { undefinedMasks } = await cpuExecutor().run(kernelLaunch(discarded));
    expect(undefinedMasks?.size).toBe(1);
    const again = await cpuExecutor().run(kernelLaunch(`${discarded} st.global.u32 [%rd1], 5;`));
    expect(again.undefinedMasks?.size ?? 0).toBe(0);
  });
});
