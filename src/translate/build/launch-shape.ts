// What the launch tells of special registers.

export interface LaunchShape {
  /// Threads of a block.
  readonly block: readonly [number, number, number];
  /// Bytes of dynamic shared memory.
  readonly dynamicShared: number;
}

const alone = (threads: number): number | undefined => (threads === 1 ? 0 : undefined);

const constants: Readonly<Record<string, (launch: LaunchShape) => number | undefined>> = {
  '%ntid.x': ({ block: [x] }) => x,
  '%ntid.y': ({ block: [, y] }) => y,
  '%ntid.z': ({ block: [, , z] }) => z,
  '%tid.x': ({ block: [x] }) => alone(x),
  '%tid.y': ({ block: [, y] }) => alone(y),
  '%tid.z': ({ block: [, , z] }) => alone(z),
  '%nwarpid': ({ block: [x, y, z] }) => Math.ceil((x * y * z) / 32),
  '%smid': () => 0,
  '%nsmid': () => 1,
  '%gridid': () => 0,
  '%dynamic_smem_size': ({ dynamicShared }) => dynamicShared,
};

/// A special register's value, where every thread has the same at every launch of this shape.
export function specialConstant(name: string, launch: LaunchShape): number | undefined {
  return Object.hasOwn(constants, name) ? constants[name]?.(launch) : undefined;
}
