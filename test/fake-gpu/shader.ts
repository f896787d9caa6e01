// Shader modules, layouts, pipelines and bind groups. https://www.w3.org/TR/webgpu/#bindings

import { type Compiled, compileWgsl, WgslError } from '../wgsl-interpreter/index.ts';
import { sizeOf } from '../wgsl-interpreter/types.ts';
import { FakeBuffer, type UsageName } from './buffer.ts';
import { FakeError, unsupported } from './errors.ts';
import { FakeObject, firstFault, type Owner, own } from './object.ts';

const computeStage = 4;

export class FakeShaderModule extends FakeObject implements GPUShaderModule {
  readonly __brand = 'GPUShaderModule';
  readonly entryPoints = new Map<string, Compiled>();
  readonly code: string;
  readonly #messages: readonly GPUCompilationMessage[];

  constructor(owner: Owner, { label, code }: GPUShaderModuleDescriptor) {
    const entryPoints = new Map<string, Compiled>();
    const fault = moduleFault(owner, code, entryPoints);
    super(owner, label, fault !== undefined);
    this.entryPoints = entryPoints;
    this.code = code;
    this.#messages = fault ? [messageOf(fault, code)] : [];
    if (fault) owner.report(new FakeError('validation', `createShaderModule: ${fault.message}`));
  }

  async getCompilationInfo(): Promise<GPUCompilationInfo> {
    return { __brand: 'GPUCompilationInfo', messages: this.#messages };
  }
}

/**
 * Returns the error of a module, or undefined if it is valid. Adds the module's entry points to
 * `entryPoints`.
 */
function moduleFault(owner: Owner, code: string, entryPoints: Map<string, Compiled>): WgslError | undefined {
  for (const [feature, pattern] of enables)
    if (pattern.test(code) && !owner.enabled.has(feature)) return new WgslError(1, `the device lacks ${feature}`);
  try {
    for (const [, name = ''] of code.matchAll(/@compute\b[^{;]*?\bfn\s+(\w+)/g))
      entryPoints.set(name, compileWgsl({ code, entryPoint: name }));
    if (entryPoints.size === 0) compileWgsl({ code, entryPoint: '' });
  } catch (error) {
    if (error instanceof WgslError) return error;
    throw error;
  }
  return undefined;
}

const enables: readonly (readonly [feature: string, pattern: RegExp])[] = [
  ['subgroups', /^enable [^;]*\bsubgroups\b/m],
  ['subgroup-size-control', /^enable [^;]*\bsubgroup_size_control\b/m],
];

const messageOf = ({ line, message }: WgslError, code: string): GPUCompilationMessage => ({
  __brand: 'GPUCompilationMessage',
  type: 'error',
  message,
  lineNum: line,
  linePos: line > 0 ? 1 : 0,
  offset: code
    .split('\n')
    .slice(0, Math.max(0, line - 1))
    .join('\n').length,
  length: 0,
});

interface LayoutEntry {
  readonly binding: number;
  readonly type: GPUBufferBindingType;
  readonly isDynamic: boolean;
  readonly minSize: number;
}

export class FakeBindGroupLayout extends FakeObject implements GPUBindGroupLayout {
  readonly __brand = 'GPUBindGroupLayout';
  /** The entries, sorted by binding. */
  readonly entries: readonly LayoutEntry[];

  constructor(owner: Owner, { label, entries: given }: GPUBindGroupLayoutDescriptor) {
    const entries = [...given].map(({ binding, buffer }) => ({
      binding,
      type: buffer?.type ?? ('uniform' as const),
      isDynamic: buffer?.hasDynamicOffset === true,
      minSize: buffer?.minBindingSize ?? 0,
    }));
    const { values } = owner;
    const count = (match: (entry: LayoutEntry) => boolean): number => entries.filter(match).length;
    const storages = count(({ type }) => type !== 'uniform');
    const uniforms = entries.length - storages;
    const dynamic = count(({ type, isDynamic }) => type === 'uniform' && isDynamic);
    const fault = firstFault([
      [new Set(entries.map(({ binding }) => binding)).size === entries.length, 'two entries have one binding'],
      [entries.every(({ binding }) => binding < values.maxBindingsPerBindGroup), 'a binding is too large'],
      [[...given].every(({ buffer }) => buffer !== undefined), 'the fake GPU binds only buffers'],
      [storages <= values.maxStorageBuffersPerShaderStage, `${storages} storage buffers are too many`],
      [uniforms <= values.maxUniformBuffersPerShaderStage, `${uniforms} uniform buffers are too many`],
      [dynamic <= values.maxDynamicUniformBuffersPerPipelineLayout, `${dynamic} dynamic uniforms are too many`],
      [[...given].every(({ visibility }) => (visibility & ~7) === 0), 'invalid visibility'],
    ]);
    super(owner, label, fault !== undefined);
    this.entries = entries
      .filter((_, at) => (([...given][at]?.visibility ?? 0) & computeStage) !== 0)
      .sort((a, b) => a.binding - b.binding);
    if (fault !== undefined) owner.report(new FakeError('validation', `createBindGroupLayout: ${fault}`));
  }

  get dynamicCount(): number {
    return this.entries.filter(({ isDynamic }) => isDynamic).length;
  }
}

export class FakePipelineLayout extends FakeObject implements GPUPipelineLayout {
  readonly __brand = 'GPUPipelineLayout';
  readonly groups: readonly FakeBindGroupLayout[];

  constructor(owner: Owner, { label, bindGroupLayouts }: GPUPipelineLayoutDescriptor) {
    const groups = [...bindGroupLayouts].map((layout) => own(FakeBindGroupLayout, layout));
    const fault = firstFault([
      [groups.length <= owner.values.maxBindGroups, `${groups.length} bind groups are too many`],
      [groups.every(({ isInvalid }) => !isInvalid), 'a bind group layout is invalid'],
      [groups.every((group) => group.owner === owner), 'a bind group layout belongs to another device'],
    ]);
    super(owner, label, fault !== undefined);
    this.groups = groups;
    if (fault !== undefined) owner.report(new FakeError('validation', `createPipelineLayout: ${fault}`));
  }
}

export class FakeComputePipeline extends FakeObject implements GPUComputePipeline {
  readonly __brand = 'GPUComputePipeline';
  readonly layout: FakePipelineLayout;
  readonly compiled: Compiled | undefined;

  constructor(owner: Owner, descriptor: GPUComputePipelineDescriptor, onFault: (message: string) => void) {
    const { layout: given, compute, label } = descriptor;
    if (given === 'auto') unsupported('automatic layouts');
    const layout = own(FakePipelineLayout, given);
    const module = own(FakeShaderModule, compute.module);
    const { entryPoints } = module;
    const [only] = entryPoints.size === 1 ? entryPoints.keys() : [];
    const entryPoint = compute.entryPoint ?? only ?? '';
    const constants = Object.entries(compute.constants ?? {});
    const unknown = constants.find(([id]) => !module.code.match(overrideWith(id)));
    const compiled =
      constants.length === 0 || unknown || !entryPoints.has(entryPoint)
        ? entryPoints.get(entryPoint)
        : compileWgsl({ code: constants.reduce(withConstant, module.code), entryPoint });
    const fault =
      firstFault([
        [!layout.isInvalid && layout.owner === owner, 'the layout is invalid'],
        [!module.isInvalid && module.owner === owner, 'the module is invalid'],
        [unknown === undefined || module.isInvalid, `the module lacks the constant ${unknown?.[0]}`],
        [compiled !== undefined || module.isInvalid, `the module lacks the entry point \`${compute.entryPoint}\``],
      ]) ??
      (compiled && shaderFault(owner, compiled, layout));
    super(owner, label, fault !== undefined);
    this.layout = layout;
    this.compiled = compiled;
    if (fault !== undefined) onFault(`createComputePipeline: ${fault}`);
  }

  getBindGroupLayout(index: number): GPUBindGroupLayout {
    const group = this.layout.groups[index];
    if (!group) throw new RangeError(`getBindGroupLayout: no group ${index}`);
    return group;
  }
}

/** Matches an override of type u32 with an explicit number. */
const overrideWith = (id: string): RegExp => new RegExp(`(@id\\(${id}\\)\\s*override\\s+\\w+\\s*=)[^;]*;`);

const withConstant = (code: string, [id, value]: readonly [string, number]): string =>
  code.replace(overrideWith(id), `$1 ${value}u;`);

/**
 * Returns the reason why a shader cannot run with this layout on the device, or undefined if it
 * can.
 */
function shaderFault({ values }: Owner, { program, size }: Compiled, layout: FakePipelineLayout): string | undefined {
  const [x, y, z] = size;
  const workgroupWords = program.memories.reduce(
    (sum, { space, type }) => sum + (space === 'workgroup' ? sizeOf(type) : 0),
    0,
  );
  const entries = layout.groups[0]?.entries ?? [];
  const bindings = program.memories.flatMap(({ name, space, writable, binding }) => {
    if (binding === null) return [];
    const type = space === 'uniform' ? 'uniform' : writable ? 'storage' : 'read-only-storage';
    const found = entries.find((entry) => entry.binding === binding)?.type ?? 'missing';
    return [[found === type, `binding ${binding}, \`${name}\`, is ${type}, and ${found} in the layout`] as const];
  });
  return firstFault([
    [x * y * z <= values.maxComputeInvocationsPerWorkgroup, `${x * y * z} invocations of a workgroup are too many`],
    [x <= values.maxComputeWorkgroupSizeX, `a workgroup of ${x} in x is too large`],
    [y <= values.maxComputeWorkgroupSizeY, `a workgroup of ${y} in y is too large`],
    [z <= values.maxComputeWorkgroupSizeZ, `a workgroup of ${z} in z is too large`],
    [4 * workgroupWords <= values.maxComputeWorkgroupStorageSize, `${4 * workgroupWords} bytes of a workgroup`],
    ...bindings,
  ]);
}

/** The range of a buffer that a group binds. */
export interface Bound extends LayoutEntry {
  readonly buffer: FakeBuffer;
  readonly offset: number;
  readonly size: number;
}

export class FakeBindGroup extends FakeObject implements GPUBindGroup {
  readonly __brand = 'GPUBindGroup';
  readonly layout: FakeBindGroupLayout;
  /** The bound buffers, in the order of the layout. */
  readonly bound: readonly Bound[];

  constructor(owner: Owner, { label, layout: given, entries: list }: GPUBindGroupDescriptor) {
    const layout = own(FakeBindGroupLayout, given);
    const entries = [...list].map(({ binding, resource }) => {
      const { buffer: part, offset = 0, size } = 'buffer' in resource ? resource : { buffer: resource };
      const buffer = own(FakeBuffer, part);
      return { binding, buffer, offset, size: size ?? Math.max(0, buffer.size - offset) };
    });
    const bound = layout.entries.flatMap((entry) => {
      const found = entries.find(({ binding }) => binding === entry.binding);
      return found ? [{ ...entry, ...found }] : [];
    });
    const faults = bound.map((entry) => boundFault(owner, entry));
    const fault =
      firstFault([
        [!layout.isInvalid && layout.owner === owner, 'the layout is invalid'],
        [bound.length === layout.entries.length, 'a binding of the layout is missing'],
        [entries.length === layout.entries.length, 'an entry is not in the layout'],
      ]) ?? faults.find((each) => each !== undefined);
    super(owner, label, fault !== undefined);
    this.layout = layout;
    this.bound = bound;
    if (fault !== undefined) owner.report(new FakeError('validation', `createBindGroup: ${fault}`));
  }
}

function boundFault(owner: Owner, { binding, type, buffer, offset, size, minSize }: Bound): string | undefined {
  const { values } = owner;
  const usage: UsageName = type === 'uniform' ? 'UNIFORM' : 'STORAGE';
  const align = type === 'uniform' ? values.minUniformBufferOffsetAlignment : values.minStorageBufferOffsetAlignment;
  const most = type === 'uniform' ? values.maxUniformBufferBindingSize : values.maxStorageBufferBindingSize;
  const fault =
    buffer.faultFor(usage, owner) ??
    firstFault([
      [offset % align === 0, `the offset ${offset} is not a multiple of ${align}`],
      [size > 0 && offset + size <= buffer.size, `${size} bytes at ${offset} are not in a buffer of ${buffer.size}`],
      [size <= most, `${size} bytes are more than ${most}`],
      [type === 'uniform' || size % 4 === 0, `${size} bytes are not whole words`],
      [size >= minSize, `${size} bytes are less than ${minSize}`],
    ]);
  return fault === undefined ? undefined : `binding ${binding}: ${fault}`;
}
