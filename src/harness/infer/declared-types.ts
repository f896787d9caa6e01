// Finds the types of a kernel's parameters in its mangled C++ name. PTX lacks the signs of integers
// and the types of pointers.
import { demanglePart } from '../../base/demangle-part.ts';
import type { ScalarKind } from '../../base/launch.ts';
import { scalarFormats } from '../../base/scalars.ts';
import type { PtxFunction, Variable } from '../../ptx/ast.ts';

export interface DeclaredType {
  /** The type of the number, or of the elements to which a pointer points. */
  readonly kind: ScalarKind;
  readonly isPointer: boolean;
}

/**
 * Returns the declared type of each parameter. The type is undefined if it does not consist of
 * numbers of one kind. All types are undefined for a kernel without a C++ name.
 */
export function declaredTypesOf({ name, params }: PtxFunction): readonly (DeclaredType | undefined)[] {
  const declared = name.startsWith('_Z') ? (demanglePart.content.demangle(name)?.parameters ?? []) : [];
  // A parameter pack is one entry of the list, so the lengths may differ.
  return declared.length === params.length ? declared.map(declaredType) : params.map(() => undefined);
}

/**
 * Returns a parameter with the type of its number in C++: PTX declares an `int` as `.u32`, and an
 * `__half` as a struct of two bytes. Returns other parameters unchanged.
 */
export function asDeclared(variable: Variable, declared: DeclaredType | undefined): Variable {
  if (declared === undefined || declared.isPointer || scalarFormats[declared.kind].bytes !== variable.bytes)
    return variable;
  return { ...variable, type: declared.kind, array: false };
}

/** Returns the scalar type of the components of a C++ type such as `float4 const*`. */
export function declaredType(text: string): DeclaredType | undefined {
  const plain = text.replace(/ (const|volatile|__restrict)\b/g, '');
  const element = plain.replace(/\*$/, '');
  const kind = kinds.get(element);
  return kind === undefined ? undefined : { kind, isPointer: element !== plain };
}

const kinds: ReadonlyMap<string, ScalarKind> = new Map([
  ...scalars({
    bool: 'u8', char: 's8', 'signed char': 's8', 'unsigned char': 'u8', short: 's16', 'unsigned short': 'u16',
    int: 's32', 'unsigned int': 'u32', long: 's64', 'unsigned long': 'u64', 'long long': 's64',
    'unsigned long long': 'u64', float: 'f32', double: 'f64', half: 'f16', _Float16: 'f16', __half: 'f16',
    __half2: 'f16', __bf16: 'bf16', __nv_bfloat16: 'bf16', __nv_bfloat162: 'bf16',
  }), // biome-ignore format: a table
  ...vectors({
    char: 's8', uchar: 'u8', short: 's16', ushort: 'u16', int: 's32', uint: 'u32', long: 's64', ulong: 'u64',
    longlong: 's64', ulonglong: 'u64', float: 'f32', double: 'f64',
  }), // biome-ignore format: a table
]);

function scalars(table: Readonly<Record<string, ScalarKind>>): [string, ScalarKind][] {
  return Object.entries(table);
}

/** Returns CUDA's vector types, such as `float4`. */
function vectors(table: Readonly<Record<string, ScalarKind>>): [string, ScalarKind][] {
  return scalars(table).flatMap(([name, kind]) =>
    ['1', '2', '3', '4'].map((count): [string, ScalarKind] => [name + count, kind]),
  );
}
