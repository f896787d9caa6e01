// Writes captured launches as case files.

import type { Launch, LaunchParam } from '../../base/launch.ts';
import { writeCase } from '../../harness/launches/case-file.ts';
import { toleranceReasonOf, withTolerance } from '../../harness/launches/tolerance.ts';
import { type Contents, type Snapshot, Unrecordable } from './snapshot.ts';
import { type RecordedCase, toLaunch } from './to-launch.ts';

/** A captured launch as the files of a case. */
export interface CapturedCase {
  /** The name of the case in results. */
  readonly id: string;
  /** The name of the case file. */
  readonly file: string;
  /** The contents of the case file. */
  readonly json: string;
  /** The name of the PTX file, which other cases may share. */
  readonly ptxFile: string;
  /** The contents of the PTX file. */
  readonly ptx: string;
}

/** A launch that a case file cannot express. */
export interface SkippedLaunch {
  /** The name of the kernel. */
  readonly kernel: string;
  /** The number of the launch in the capture, starting at 1. */
  readonly launch: number;
  /** The reason. */
  readonly reason: string;
}

/** The result of a capture. */
export interface Captured {
  /** The cases, in the order of the launches. */
  readonly cases: readonly CapturedCase[];
  /** The launches without a case. */
  readonly skipped: readonly SkippedLaunch[];
}

/** A launch with the memory before and after it. */
export interface CapturedLaunch {
  readonly number: number;
  readonly snapshot: Snapshot;
  readonly after: Promise<Contents>;
}

/** Returns the cases of launches. `isFast`: whether f32 arithmetic is the adapter's own. */
export async function casesOf(launches: readonly CapturedLaunch[], isFast: boolean): Promise<Captured> {
  const cases: CapturedCase[] = [];
  const skipped: SkippedLaunch[] = [];
  const files = new PtxFiles();
  for (const { number, snapshot, after } of launches) {
    const { name } = snapshot.facts.entry;
    const id = `${name}-${number}`.replace(/[^A-Za-z0-9_.:-]/g, '_').slice(-200);
    try {
      const made = toLaunch(snapshot, await snapshot.memory, id);
      const launch = withResults(
        made,
        await after,
        isFast || toleranceReasonOf(made.module, snapshot.facts.entry) !== undefined,
      );
      const ptxFile = files.nameOf(launch);
      const json = writeCase(launch, ptxFile, { readable: true });
      cases.push({ id, file: `${id.replaceAll(':', '_')}.json`, json, ptxFile, ptx: launch.ptx });
    } catch (error) {
      if (!(error instanceof Unrecordable)) throw error;
      skipped.push({ kernel: name, launch: number, reason: error.message });
    }
  }
  return { cases, skipped };
}

/**
 * Adds expected contents to the buffers that the kernel writes, or whose contents have changed. The
 * expected contents are those that the device computed.
 */
function withResults({ launch, use, buffers }: RecordedCase, after: Contents, isInexact: boolean): Launch {
  const params = launch.params.map((param, index): LaunchParam => {
    const place = buffers.get(index);
    const expect = place && after.get(place.allocation)?.slice(place.offset);
    if (param.kind !== 'buffer' || expect === undefined) return param;
    const fields = use.params[index]?.fields ?? [];
    const isWritten = fields.some((field) => field.use.kind === 'pointer' && field.use.writes);
    const hasChanged = param.data?.some((byte, at) => byte !== expect[at]) === true;
    if (!isWritten && !hasChanged) return param;
    return { ...(isInexact ? withTolerance(param) : param), expect };
  });
  return { ...launch, params };
}

/** Names the PTX files. Launches of one module share a file. */
class PtxFiles {
  readonly #names = new Map<string, string>();

  nameOf({ ptx, ptxFile }: Launch): string {
    const known = this.#names.get(ptx);
    if (known !== undefined) return known;
    const base = /([\w.-]+?)(\.ptx)?$/.exec(ptxFile)?.[1] ?? 'module';
    const taken = new Set(this.#names.values());
    let name = `${base}.ptx`;
    for (let number = 2; taken.has(name); number++) name = `${base}-${number}.ptx`;
    this.#names.set(ptx, name);
    return name;
  }
}
