// The version of the NVIDIA driver package, which the driver's API does not report.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Returns the version of the driver, such as `580.95.05`, or 'unknown'. */
export function driverVersion(): string {
  return fromKernelModule() ?? fromNvidiaSmi() ?? 'unknown';
}

/**
 * Returns the version from Linux's "NVRM version: NVIDIA UNIX x86_64 Kernel Module 580.95.05 Tue
 * Sep …".
 */
function fromKernelModule(): string | undefined {
  try {
    return /\s(\d{3,}\.\d+(?:\.\d+)?)\s/.exec(readFileSync('/proc/driver/nvidia/version', 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}

function fromNvidiaSmi(): string | undefined {
  const query = ['--query-gpu=driver_version', '--format=csv,noheader'];
  const { stdout } = spawnSync('nvidia-smi', query, { encoding: 'utf8', timeout: 10_000, windowsHide: true });
  return /^\d[\d.]*/.exec(stdout ?? '')?.[0];
}
