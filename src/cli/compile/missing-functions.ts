// Detects functions of NVIDIA's mathematical library, libdevice, that the headers of this package
// do not contain.
import { UsageError } from '../console.ts';

/** Throws `UsageError` if the PTX calls functions of libdevice that it does not contain. */
export function requireLibrary(file: string, ptx: string): void {
  const missing = new Set([...ptx.matchAll(/\.extern \.func\s+(?:\([^)]*\)\s*)?__nv_(\w+)/g)].map(([, name]) => name));
  if (missing.size === 0) return;
  throw new UsageError(
    `${file} uses functions of NVIDIA's mathematical library, which is a part of the CUDA toolkit: ${[...missing].join(', ')}; install the toolkit, or compile the file elsewhere and use its PTX`,
  );
}
