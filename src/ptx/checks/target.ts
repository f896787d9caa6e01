// Checks instructions against a module's `.version` and `.target`.
import { type IsaRow, laterDemands, type Mods } from '../../isa/row.ts';
import type { Diagnostic, Span } from '../ast.ts';
import { diagnostics } from '../diagnostics/part.ts';
import type { RawModule } from '../syntax.ts';

/** The version and target that a module declares, with their spans. */
export interface Platform {
  readonly version: { readonly major: number; readonly minor: number; readonly span: Span };
  readonly target: { readonly name: string; readonly span: Span };
}

interface Architecture {
  readonly number: number;
  /**
   * The suffix of the target: `a` for only this architecture, `f` for its family, and otherwise ''.
   */
  readonly suffix: string;
}

function parseTarget(name: string): Architecture {
  const [, digits = '0', suffix = ''] = /^sm_(\d+)([af]?)$/.exec(name) ?? [];
  return { number: Number(digits), suffix };
}

/** Returns a version as a number for comparisons, such as 8006 for `8.6`. */
function versionNumber(text: string): number {
  const [major = '0', minor = '0'] = text.split('.');
  return Number(major) * 1000 + Number(minor);
}

/** The first PTX version that supports each target (PTX ISA, "Release Notes"). */
const targetVersions: readonly (readonly [least: number, version: string])[] = [
  [121, '8.8'],
  [120, '8.7'],
  [110, '9.0'],
  [103, '8.8'],
  [101, '8.6'],
  [100, '8.6'],
  [90, '7.8'],
  [89, '7.8'],
  [88, '8.8'],
  [87, '7.4'],
  [86, '7.1'],
  [80, '7.0'],
  [75, '6.3'],
  [72, '6.1'],
  [70, '6.0'],
  [60, '5.0'],
  [53, '4.2'],
  [52, '4.1'],
  [50, '4.0'],
  [37, '4.1'],
  [35, '3.1'],
  [32, '4.0'],
  [30, '3.0'],
  [20, '2.0'],
];

const suffixVersions: Readonly<Record<string, string>> = { a: '8.0', f: '8.8' };

/**
 * Whether an architecture `has` runs code that requires `wanted`. `sm_100a` is
 * architecture-specific; since PTX 8.8, it also includes the targets of its family (`sm_100f`,
 * `sm_103a`). Plain `sm_100` does not suffice for a target with a suffix.
 */
function targetAllows(has: Architecture, wanted: Architecture, version: number): boolean {
  if (wanted.suffix === '') return has.number >= wanted.number;
  if (has.suffix === 'a' && has.number === wanted.number) return true;
  if (version < versionNumber('8.8')) return false;
  const family = Math.floor(has.number / 10) === Math.floor(wanted.number / 10);
  return family && has.suffix !== '' && has.number >= wanted.number;
}

export interface Demand {
  readonly ptx: string;
  readonly target: string;
}

/**
 * Checks requirements against a module's platform. A fragment does not have a platform, so it
 * fulfills every requirement.
 */
export class TargetRules {
  private readonly platform: Platform | undefined;
  private readonly version: number;
  private readonly versionText: string;
  private readonly architecture: Architecture;
  /** The modifiers of opcodes that fulfill all requirements. */
  private readonly allowed = new Set<Mods>();

  constructor(module: Pick<RawModule, 'version' | 'target'> | undefined) {
    const { version, target } = module ?? {};
    this.platform = version !== undefined && target !== undefined ? { version, target } : undefined;
    this.versionText = version === undefined ? '' : `${version.major}.${version.minor}`;
    this.version = versionNumber(this.versionText);
    this.architecture = parseTarget(target?.name ?? '');
  }

  /** Returns a diagnostic if the module's version does not support the module's target. */
  checkPlatform(): Diagnostic | undefined {
    const { platform, architecture } = this;
    if (platform === undefined) return undefined;
    const base = targetVersions.find(([least]) => architecture.number >= least)?.[1] ?? '1.0';
    const suffixed = suffixVersions[architecture.suffix] ?? base;
    const wanted = versionNumber(suffixed) > versionNumber(base) ? suffixed : base;
    if (this.version >= versionNumber(wanted)) return undefined;
    return diagnostics().targetVersion(
      platform.target.span,
      platform.target.name,
      wanted,
      this.versionText,
      platform.version.span,
    );
  }

  /** Returns a diagnostic if the platform does not have `what`. */
  check(what: string, span: Span, demand: Demand): Diagnostic | undefined {
    const { platform } = this;
    if (platform === undefined) return undefined;
    if (this.version < versionNumber(demand.ptx)) {
      return diagnostics().needsVersion(span, what, demand.ptx, this.versionText, platform.version.span);
    }
    const wanted = parseTarget(demand.target);
    if (targetAllows(this.architecture, wanted, this.version)) return undefined;
    const hint =
      wanted.suffix === ''
        ? `write \`.target ${demand.target}\` or higher`
        : `write \`.target ${demand.target}\`: this instruction is architecture-specific, so higher targets do not include it`;
    return diagnostics().needsTarget(span, what, demand.target, platform.target.name, platform.target.span, hint);
  }

  /**
   * Returns a diagnostic if the platform does not have a form of an instruction. Instructions with
   * the same opcode share their modifiers, so each opcode is checked only once.
   */
  checkRow(row: IsaRow, mods: Mods, opcode: string, span: Span): Diagnostic | undefined {
    if (this.allowed.has(mods)) return undefined;
    const found = this.findObjection(row, mods, opcode, span);
    if (found === undefined) this.allowed.add(mods);
    return found;
  }

  private findObjection(row: IsaRow, mods: Mods, opcode: string, span: Span): Diagnostic | undefined {
    const { platform } = this;
    if (platform === undefined) return undefined;
    const { removed } = row;
    if (removed !== undefined && this.architecture.number >= parseTarget(removed.target).number) {
      if (this.version < versionNumber(removed.ptx)) {
        return diagnostics().deprecated(span, opcode, removed.target, removed.instead, platform.target.span);
      }
      const lines = [platform.version.span, platform.target.span] as const;
      return diagnostics().removed(span, opcode, removed.ptx, removed.target, removed.instead, lines);
    }
    const found = this.check(opcode, span, row);
    if (found !== undefined) return found;
    for (const since of laterDemands(row, mods)) {
      const later = this.check(`${opcode}`, span, since);
      if (later !== undefined) return later;
    }
    return undefined;
  }
}
