// Converts a snapshot to a launch, as case files and the reference use it.

import type { ElementKind, Launch, LaunchParam } from '../../base/launch.ts';
import { isScalarKind, readScalar, scalarFormats } from '../../base/scalars.ts';
import { inferKernel, type KernelUse, type ParamUse } from '../../harness/infer/index.ts';
import type { Module } from '../../ptx/ast.ts';
import type { Allocation } from '../memory/allocation.ts';
import { type ArgumentSnapshot, type Contents, type Snapshot, Unrecordable } from './snapshot.ts';
import { withVariables } from './variables.ts';

/** A launch, its module, and the allocation of each buffer parameter. */
export interface RecordedCase {
  readonly launch: Launch;
  readonly module: Module;
  readonly use: KernelUse;
  readonly buffers: ReadonlyMap<number, { readonly allocation: Allocation; readonly offset: number }>;
}

/** The inferred use of each kernel's parameters. */
const uses = new WeakMap<object, KernelUse>();

/**
 * Converts a snapshot to a launch. Throws `Unrecordable` if a case file cannot express the launch.
 */
export function toLaunch({ facts, grid, args }: Snapshot, contents: Contents, id: string): RecordedCase {
  const { entry, block, cluster, sharedBytes, cooperative } = facts;
  const use = uses.get(entry) ?? inferKernel(facts.module, entry);
  uses.set(entry, use);
  const module = moduleOf(facts, contents);
  const bases = basesOf(args);
  const names = namesOf(entry.name, facts.parameters);
  const buffers = new Map<number, { allocation: Allocation; offset: number }>();
  const params = args.map((argument, index): LaunchParam => {
    const name = names[index] ?? `${index}`;
    const own = use.params[index];
    if (argument.kind === 'bytes') return valueParam(name, argument, own, bases, args);
    const { allocation, offset } = argument;
    const base = bases.get(allocation);
    if (base === undefined) throw new Unrecordable(`\`${name}\` points to a variable of the module`);
    if (base !== index)
      return { name, kind: 'bytes', data: new Uint8Array(8), pointers: [inner(0, base, offset, args)] };
    const bytes = allocation.bytes - offset;
    if (bytes <= 0) throw new Unrecordable(`\`${name}\` points past the end of its memory`);
    if (own?.fields.some((field) => field.use.kind === 'pointer' && field.use.holdsPointers))
      throw new Unrecordable(`\`${name}\` points to addresses of other memory`);
    buffers.set(index, { allocation, offset });
    const data = contents.get(allocation)?.slice(offset) ?? new Uint8Array(bytes);
    return { name, kind: 'buffer', type: elementOf(own, bytes), bytes, data };
  });
  if (use.followsUnknown) throw new Unrecordable('it follows addresses that it loads from memory');
  const { text: ptx, file: ptxFile, origins } = module.source;
  const launch = { id, group: '', ptx, ptxFile, entry: entry.name, grid, block, sharedBytes, params };
  return {
    launch: {
      ...launch,
      ...(origins ? { origins } : {}),
      ...(cluster ? { cluster } : {}),
      ...(cooperative ? { cooperative } : {}),
    },
    module,
    use,
    buffers,
  };
}

function moduleOf({ module, variables }: Snapshot['facts'], contents: Contents): Module {
  const now = variables && contents.get(variables);
  if (now === undefined) return module;
  const made = withVariables(module, now, variables?.address ?? 0);
  if (made === undefined) throw new Unrecordable('PTX cannot express the present contents of its variables');
  return made;
}

/**
 * Returns the parameter that represents each allocation: the pointer with the lowest address. The
 * other pointers into the allocation become addresses inside it.
 */
function basesOf(args: readonly ArgumentSnapshot[]): ReadonlyMap<Allocation, number> {
  const bases = new Map<Allocation, number>();
  args.forEach((argument, index) => {
    if (argument.kind !== 'pointer' || argument.allocation.isModule) return;
    const known = bases.get(argument.allocation);
    if (known === undefined || argument.offset < offsetOf(args, known)) bases.set(argument.allocation, index);
  });
  return bases;
}

function offsetOf(args: readonly ArgumentSnapshot[], index: number): number {
  const argument = args[index];
  return argument?.kind === 'pointer' ? argument.offset : 0;
}

const inner = (at: number, to: number, offset: number, args: readonly ArgumentSnapshot[]) => ({
  at,
  to,
  offset: offset - offsetOf(args, to),
});

function valueParam(
  name: string,
  { bytes, addresses }: Extract<ArgumentSnapshot, { kind: 'bytes' }>,
  use: ParamUse | undefined,
  bases: ReadonlyMap<Allocation, number>,
  args: readonly ArgumentSnapshot[],
): LaunchParam {
  const type = use?.variable.array ? undefined : scalarOf(use, bytes.length);
  if (type) return { name, kind: 'scalar', type, value: readScalar(type, bytes, 0) };
  const isPointer = (at: number) => use?.fields.some((field) => field.offset === at && field.use.kind === 'pointer');
  const pointers = addresses
    .filter(({ at }) => isPointer(at))
    .map(({ at, allocation, offset }) => {
      const to = bases.get(allocation);
      if (to === undefined || offset < offsetOf(args, to))
        throw new Unrecordable(`\`${name}\` contains the address of memory that is no argument`);
      return inner(at, to, offset, args);
    });
  return { name, kind: 'bytes', data: bytes, ...(pointers.length > 0 ? { pointers } : {}) };
}

/** Returns the type of a number; undefined for the bytes of a struct. */
function scalarOf(use: ParamUse | undefined, bytes: number) {
  const type = use?.variable.type ?? '';
  if (isScalarKind(type)) return type;
  const unsigned = `u${8 * bytes}`;
  return /^b(8|16|32|64)$/.test(type) && isScalarKind(unsigned) ? unsigned : undefined;
}

function elementOf(use: ParamUse | undefined, bytes: number): ElementKind {
  const [field] = use?.fields ?? [];
  const inferred = field?.use.kind === 'pointer' ? field.use.element : 'b32';
  return bytes % scalarFormats[inferred].bytes === 0 ? inferred : 'b8';
}

/** Returns the names of the parameters, without the name of the kernel, which compilers prepend. */
const namesOf = (kernel: string, parameters: Snapshot['facts']['parameters']): readonly string[] =>
  parameters.map(({ name }) => (name.startsWith(`${kernel}_`) ? name.slice(kernel.length + 1) : name));
