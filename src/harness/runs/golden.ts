// Golden results: the expected buffers of a case, recorded on an NVIDIA GPU.
import { createHash } from 'node:crypto';
import type { Launch, LaunchOutputs } from '../../base/launch.ts';
import { GpuError } from '../../runtime/device/job.ts';
import { isUnspecified } from '../compare/compare.ts';
import type { CudaSession } from '../cuda/session.ts';
import { CaseError, parseCase } from '../launches/case-file.ts';
import type { ReadCaseFile } from '../launches/case-values.ts';

/** The origin of a case's `expect`, as stored in the case file. */
export interface Golden {
  readonly gpu: string;
  readonly driver: string;
  /** The date of the recording as YYYY-MM-DD. */
  readonly date: string;
  /** The hash of the PTX text that was executed. */
  readonly ptxSha256: string;
}

export interface GoldenOptions {
  readonly timeoutMs?: number;
  readonly date?: string;
  /** Reads the files that contain the contents of buffers. */
  readonly read?: ReadCaseFile;
}

/**
 * The values of the guard bytes around the buffers, one for each launch. If a result differs
 * between launches, the kernel reads out of bounds or has a race.
 */
const guardBytes = [0xa5, 0x5a, 0x00, 0xff] as const;

/**
 * Runs a case natively several times. Returns its JSON object with `expect` in every buffer, and
 * with a `golden` block. All other members stay unchanged, and so does an `expect` of `any`. `ptx`
 * is the text of the PTX file that the case names. Throws `CaseError` and `GpuError`. Also throws
 * `GpuError` 'validation' if the launches differ, or if no buffer changes, because such a kernel
 * shows nothing.
 */
export async function recordGolden(
  caseJson: string,
  ptx: string,
  session: CudaSession,
  { timeoutMs, date = new Date().toISOString().slice(0, 10), read }: GoldenOptions = {},
): Promise<Readonly<Record<string, unknown>>> {
  const launch = parseCase(caseJson, ptx, undefined, read);
  const outputs = await runRepeatedly(launch, session, timeoutMs === undefined ? {} : { timeoutMs });
  const document: Record<string, unknown> = JSON.parse(caseJson);
  if (!Array.isArray(document.params)) throw new CaseError('params', 'must be an array');
  const params = document.params.map((param: object, index) => {
    const bytes = outputs.get(index);
    const given = launch.params[index];
    // Kernels only read textures.
    const isRead = given?.kind === 'buffer' && given.image?.sampling !== undefined;
    return bytes && !isRead && !isUnspecified(given)
      ? { ...param, expect: Buffer.from(bytes).toString('base64') }
      : param;
  });
  const { gpu, driver } = session.describe();
  const golden: Golden = { gpu, driver, date, ptxSha256: createHash('sha256').update(ptx).digest('hex') };
  return { ...document, params, golden };
}

async function runRepeatedly(
  launch: Launch,
  session: CudaSession,
  limit: { readonly timeoutMs?: number },
): Promise<LaunchOutputs> {
  let first: LaunchOutputs | undefined;
  for (const guardByte of guardBytes) {
    const { outputs } = await session.run(launch, { ...limit, guardByte });
    first ??= outputs;
    for (const [index, bytes] of outputs) {
      if (isUnspecified(launch.params[index])) continue;
      const earlier = first.get(index);
      if (earlier && Buffer.compare(earlier, bytes) === 0) continue;
      throw new GpuError('validation', `${launch.id}: \`${nameOf(launch, index)}\` differs between launches`);
    }
  }
  const outputs = first ?? new Map<number, Uint8Array>();
  const isWritten = ([index, bytes]: readonly [number, Uint8Array]): boolean => {
    const param = launch.params[index];
    const data = param?.kind === 'buffer' ? param.data : undefined;
    return data ? Buffer.compare(data, bytes) !== 0 : bytes.some((byte) => byte !== 0);
  };
  if (![...outputs].some(isWritten)) throw new GpuError('validation', `${launch.id}: the kernel changed no buffer`);
  return outputs;
}

function nameOf({ params }: Launch, index: number): string {
  return params[index]?.name ?? String(index);
}
