// NVVM's names of the special registers.

const plain = new Set([
  'warpid',
  'nwarpid',
  'smid',
  'nsmid',
  'gridid',
  'clock',
  'clock64',
  'laneid',
  'globaltimer',
  'pm0',
  'pm1',
  'pm2',
  'pm3',
]);

/** Returns the special register that `read.ptx.sreg.…` names. */
export function specialRegister(name: string): string | undefined {
  const prefix = 'read.ptx.sreg.';
  if (!name.startsWith(prefix)) return undefined;
  const register = name.slice(prefix.length);
  if (register === 'warpsize') return 'WARP_SZ';
  if (/^(n?tid|n?ctaid|cluster\.(n?ctaid|ctarank|nctarank))\.[xyz]$/.test(register))
    return `%${register.replace('cluster.', 'cluster_')}`;
  if (/^cluster\.n?ctarank$/.test(register)) return `%${register.replace('.', '_')}`;
  if (/^lanemask\.(eq|le|lt|ge|gt)$/.test(register)) return `%${register.replace('.', '_')}`;
  if (register === 'dynamic.smem.size') return '%dynamic_smem_size';
  if (/^envreg\d+$/.test(register) || plain.has(register)) return `%${register}`;
  return undefined;
}
