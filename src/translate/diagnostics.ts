// The errors and warnings of the compiler, with one constructor for each message.
import { maxSharedBytes } from '../base/dim3.ts';
import type { Diagnostic, Span } from '../ptx/ast.ts';

const at =
  (code: string, message: string, hint?: string, severity: Diagnostic['severity'] = 'error') =>
  (span: Span): Diagnostic => ({ code, severity, message, span, labels: [], hint });

export const compileDiagnostics = {
  noEntry: (name: string | undefined, known: readonly string[]) =>
    at(
      'LW2001',
      name === undefined ? 'the module has no .entry' : `the module has no .entry named \`${name}\``,
      known.length > 0 ? `it has ${known.map((entry) => `\`${entry}\``).join(', ')}` : undefined,
    ),
  severalEntries: (known: readonly string[]) =>
    at('LW2002', `the module has ${known.length} entries`, `choose one with --entry: ${known.join(', ')}`),
  kernelCalled: (name: string) => at('LW2003', `\`${name}\` is the kernel itself: calling it is not supported`),
  noBody: (name: string) => at('LW2004', `\`${name}\` has no body in this module`, 'link the function into the PTX'),
  blockTooLarge: (threads: number) => at('LW2005', `a block of ${threads} threads exceeds 1024`),
  notSupported: (what: string, hint?: string) => at('LW2006', `${what} is not supported`, hint),
  unordered: (what: string, tests: string) =>
    at(
      'LW2010',
      `WGSL does not guarantee the order of ${what} between blocks`,
      `the shader waits for the lane's accesses, and \`lanewise litmus ${tests}\` tests whether a GPU keeps the order; data in one word needs no order`,
      'warning',
    ),
  mayTear: at('LW2010', 'a store that races with this 64-bit load may tear it', 'write `ld.relaxed`', 'warning'),
  clusterTooLarge: (size: string, block: string, lanes: number, most: number) =>
    at(
      'LW2017',
      `a cluster of ${size} blocks of ${block} threads needs a workgroup of ${lanes} threads: the adapter runs at most ${most}`,
      'a workgroup runs all blocks of a cluster: choose smaller clusters or blocks',
    ),
  invalidCluster: (problem: string) => at('LW2018', problem, 'the grid is a multiple of the cluster in each dimension'),
  tooMuchShared: (kernel: string, bytes: number, dynamic: number) =>
    at(
      'LW2012',
      `\`${kernel}\` needs ${bytes} bytes of shared memory${dynamic > 0 ? `, with ${dynamic} of dynamic shared memory` : ''}: a block has at most ${maxSharedBytes}`,
      'choose smaller tiles',
    ),
  tooMuchWorkgroupMemory: (kernel: string, bytes: number, most: number) =>
    at(
      'LW2019',
      `the shader of \`${kernel}\` needs ${bytes} bytes of workgroup memory for its own variables: the adapter has ${most}`,
      'choose smaller blocks',
    ),
  inlinedTooLarge: (name: string, statements: number, limit: number) =>
    at(
      'LW2008',
      `after inlining \`${name}\`, this function has ${statements} statements, more than ${limit}`,
      'functions that exchange lanes or wait for other threads are inlined at every call: call them in a loop',
    ),
  inlinedTooDeeply: (name: string, limit: number) =>
    at('LW2009', `calls nest more than ${limit} deep below \`${name}\``),
} as const;

/** An error that a pass throws. `translate` catches it and returns its diagnostic. */
export class CompileError extends Error {
  readonly diagnostic: Diagnostic;

  constructor(diagnostic: Diagnostic) {
    super(diagnostic.message);
    this.name = 'CompileError';
    this.diagnostic = diagnostic;
  }
}

/**
 * Stops the translation with a diagnostic. Absent: the compiler inserted the instruction, so the
 * message is at the first line.
 */
export function refuse(make: (span: Span) => Diagnostic, span: Span | undefined): never {
  throw new CompileError(make(span ?? { start: 0, end: 0 }));
}
