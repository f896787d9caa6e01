// `lanewise golden`
import { openCuda } from '../harness/cuda/session.ts';
import { readCase, readCaseFiles } from '../harness/launches/case-file-node.ts';
import { recordGolden } from '../harness/runs/golden.ts';
import { exitCodes } from '../harness/runs/results.ts';
import type { Console } from './console.ts';
import { writeReport } from './report-files.ts';

/**
 * Runs each case on the NVIDIA GPU of this machine and writes the results into the case file.
 * Throws `CaseError` for a file that is not a case, before any case runs. Throws `GpuError`
 * 'unavailable' if there is no driver. If a case fails, the files of the earlier cases have already
 * been written.
 */
export async function goldenCommand(
  paths: readonly string[],
  { timeout }: { readonly timeout?: number },
  console: Console,
): Promise<number> {
  for (const path of paths) readCase(path);
  const session = await openCuda();
  try {
    const { gpu, driver } = session.describe();
    console.err(`${gpu}, driver ${driver}\n`);
    for (const path of paths) {
      const { json, ptx, read } = readCaseFiles(path);
      const document = await recordGolden(json, ptx, session, {
        read,
        ...(timeout === undefined ? {} : { timeoutMs: timeout }),
      });
      writeReport(path, caseText(document));
      console.out(`${console.outColors.green('✓')} ${path}\n`);
    }
  } finally {
    await session.close();
  }
  return exitCodes.ok;
}

/**
 * Returns the text of a case file, with one line for each parameter. The line of a buffer is long,
 * so a diff of two versions shows only which parameters have changed.
 */
function caseText({ params, golden, ...head }: Readonly<Record<string, unknown>>): string {
  const lines = Array.isArray(params) ? params.map((param) => JSON.stringify(param)) : [];
  const fields = Object.entries(head).map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
  return `{${fields.join(',')},"params":[\n${lines.join(',\n')}],"golden":${JSON.stringify(golden)}}\n`;
}
