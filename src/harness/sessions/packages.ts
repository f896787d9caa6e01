// Packages that executors need but the library does not. An install of `lanewise` alone lacks them.

import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { shellQuoted } from '../../base/shell.ts';
import { GpuError } from '../../runtime/device/gpu-error.ts';

export type OptionalPackage = 'puppeteer' | 'webgpu' | 'koffi' | 'selenium-webdriver';

/**
 * Returns the path of the package's entry. If the package is missing, throws `GpuError`
 * 'unavailable' with a command line that installs it.
 */
export function requirePackage(name: OptionalPackage, executor: string): string {
  try {
    return createRequire(import.meta.url).resolve(name);
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND';
    if (!isMissing) throw error;
    throw new GpuError('unavailable', missingPackageText(name, executor, process.argv.slice(1)));
  }
}

/**
 * Returns the message for a missing package. `program` is the running program and its arguments.
 */
export function missingPackageText(name: OptionalPackage, executor: string, program: readonly string[]): string {
  const [script = '', ...args] = program;
  // No such command line is known for another program.
  const isOurs = /^lanewise(\.js)?$/.test(basename(script));
  const command = (isOurs && args.length > 0 ? args : ['validate', '--on', executor]).map(quoted).join(' ');
  return `${executor} requires the package ${name}, which is not installed:\n  npx -p lanewise -p ${name} lanewise ${command}`;
}

function quoted(argument: string): string {
  return /^[\w.,:/=@%+-]+$/.test(argument) ? argument : shellQuoted(argument);
}
