// Packages that executors need and the library does not: whoever installs `lanewise` alone has none of them.

import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { GpuError } from '../../runtime/device/gpu-error.ts';

export type OptionalPackage = 'puppeteer' | 'webgpu' | 'koffi' | 'selenium-webdriver';

/** Where the package's entry is. Throws `GpuError` 'unavailable', with the line that runs this command with it, where it is not installed. */
export function requirePackage(name: OptionalPackage, executor: string): string {
  try {
    return createRequire(import.meta.url).resolve(name);
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND';
    if (!isMissing) throw error;
    throw new GpuError('unavailable', missingPackageText(name, executor, process.argv.slice(1)));
  }
}

/** `program` is what runs, and its arguments. */
export function missingPackageText(name: OptionalPackage, executor: string, program: readonly string[]): string {
  const [script = '', ...args] = program;
  // A program of somebody's own has no such line.
  const isOurs = /^lanewise(\.js)?$/.test(basename(script));
  const command = (isOurs && args.length > 0 ? args : ['validate', '--on', executor]).map(quoted).join(' ');
  return `${executor} needs the package ${name}, which is not installed here:\n  npx -p lanewise -p ${name} lanewise ${command}`;
}

function quoted(argument: string): string {
  return /^[\w.,:/=@%+-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`;
}
