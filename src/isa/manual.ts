// All instructions of the PTX 9.0 manual, by chapter, with or without a row.

/** An instruction of the manual: a heading, or one of several names in a heading. */
export interface ManualInstruction {
  /** The first words of the instruction's opcodes, such as `cp.async.bulk`. */
  readonly name: string;
  /** The chapter's title. */
  readonly chapter: string;
  /** The anchor of the instruction's section. */
  readonly section: string;
  /** The PTX version that introduced the instruction. */
  readonly ptx: string;
}

interface Chapter {
  readonly title: string;
  /** The common prefix of the anchors of the chapter's sections. */
  readonly anchor: string;
  /**
   * The instructions, by the version that introduced them. `names > section` is a group whose names
   * share a section; the end of the section's anchor is not one of the names.
   */
  readonly names: Readonly<Record<string, string>>;
}

const chapters: readonly Chapter[] = [
  {
    title: 'Integer arithmetic',
    anchor: 'integer-arithmetic-instructions',
    names: {
      '1.0': 'add sub mul mad mul24 mad24 sad div rem abs neg min max',
      '2.0': 'popc clz bfind brev bfe bfi',
      '5.0': 'dp4a dp2a',
      '6.0': 'fns',
      '7.6': 'szext bmsk',
    },
  },
  {
    title: 'Extended-precision integer arithmetic',
    anchor: 'extended-precision-arithmetic-instructions',
    names: { '1.2': 'add.cc addc sub.cc subc', '3.0': 'mad.cc madc' },
  },
  {
    title: 'Floating point',
    anchor: 'floating-point-instructions',
    names: {
      '1.0': 'add sub mul mad div abs neg min max rcp sqrt rsqrt sin cos lg2 ex2',
      '1.4': 'fma',
      '2.0': 'testp copysign',
      '2.1': 'rcp.approx.ftz.f64',
      '4.0': 'rsqrt.approx.ftz.f64',
      '7.0': 'tanh',
    },
  },
  {
    title: 'Half-precision floating point',
    anchor: 'half-precision-floating-point-instructions',
    names: { '4.2': 'add sub mul fma', '6.0': 'neg abs', '7.0': 'min max tanh ex2' },
  },
  {
    title: 'Mixed-precision floating point',
    anchor: 'mixed-precision-floating-point-instructions',
    names: { '8.6': 'add sub fma' },
  },
  {
    title: 'Comparison and selection',
    anchor: 'comparison-and-selection-instructions',
    names: { '1.0': 'set setp selp slct' },
  },
  {
    title: 'Half-precision comparison',
    anchor: 'half-precision-comparison-instructions',
    names: { '4.2': 'set setp' },
  },
  {
    title: 'Logic and shift',
    anchor: 'logic-and-shift-instructions',
    names: { '1.0': 'and or xor not cnot shl shr', '3.1': 'shf', '4.3': 'lop3' },
  },
  {
    title: 'Data movement and conversion',
    anchor: 'data-movement-and-conversion-instructions',
    names: {
      '1.0': 'mov ld st cvt',
      '2.0': 'prmt ldu isspacep cvta, prefetch prefetchu > prefetch-prefetchu',
      '3.0': 'shfl',
      '3.1': 'ld.global.nc',
      '6.0': 'shfl.sync',
      '6.5': 'cvt.pack',
      '7.0': 'cp.async cp.async.commit_group cp.async.wait_group, cp.async.wait_all > cp-async-wait-group',
      '7.4': 'applypriority discard createpolicy',
      '7.8': 'mapa getctarank',
      '8.0': 'cp.async.bulk cp.reduce.async.bulk cp.async.bulk.prefetch cp.async.bulk.tensor cp.reduce.async.bulk.tensor cp.async.bulk.prefetch.tensor cp.async.bulk.commit_group cp.async.bulk.wait_group',
      '8.1': 'st.async, multimem.ld_reduce multimem.st multimem.red > multimem',
      '8.3': 'tensormap.replace',
      '8.6': 'st.bulk',
    },
  },
  {
    title: 'Texture',
    anchor: 'texture-instructions',
    names: { '1.0': 'tex', '2.0': 'txq', '2.2': 'tld4', '4.0': 'istypep' },
  },
  {
    title: 'Surface',
    anchor: 'surface-instructions',
    names: { '1.5': 'suld sust', '2.0': 'sured suq' },
  },
  {
    title: 'Control flow',
    anchor: 'control-flow-instructions',
    names: { '1.0': 'bra call ret exit', '6.0': 'brx.idx' },
  },
  {
    title: 'Parallel synchronization and communication',
    anchor: 'parallel-synchronization-and-communication-instructions',
    names: {
      '1.0': 'bar.sync > bar',
      '1.1': 'atom',
      '1.2': 'vote red',
      '1.4': 'membar',
      '2.0': 'bar.arrive bar.red > bar',
      '6.0': 'bar.warp.sync vote.sync match.sync, fence > membar, barrier.sync barrier.arrive barrier.red > bar',
      '6.2': 'activemask',
      '7.0': 'redux.sync mbarrier.init mbarrier.inval mbarrier.arrive mbarrier.arrive_drop mbarrier.pending_count cp.async.mbarrier.arrive, mbarrier.test_wait > mbarrier-test-wait-try-wait',
      '7.8': 'griddepcontrol, barrier.cluster.arrive barrier.cluster.wait > barrier-cluster, mbarrier.try_wait > mbarrier-test-wait-try-wait',
      '8.0': 'elect.sync mbarrier.expect_tx mbarrier.complete_tx',
      '8.1': 'red.async',
      '8.3': 'tensormap.cp_fenceproxy',
      '8.6': 'clusterlaunchcontrol.try_cancel clusterlaunchcontrol.query_cancel',
    },
  },
  {
    title: 'Warp-level matrix multiply-accumulate',
    anchor: 'warp-level-matrix-instructions',
    names: {
      '6.0': 'wmma.mma, wmma.load > wmma-ld, wmma.store > wmma-st',
      '6.4': 'mma',
      '6.5': 'ldmatrix',
      '7.1': 'mma.sp',
      '7.8': 'stmatrix movmatrix',
    },
  },
  {
    title: 'Asynchronous warpgroup-level matrix multiply-accumulate',
    anchor: 'asynchronous-warpgroup-level-matrix-instructions',
    names: {
      '8.0': 'wgmma.mma_async wgmma.fence wgmma.commit_group wgmma.wait_group',
      '8.2': 'wgmma.mma_async.sp',
    },
  },
  {
    title: 'TensorCore 5th generation',
    anchor: 'tcgen05-instructions',
    names: {
      '8.6': 'tcgen05.ld tcgen05.st tcgen05.wait tcgen05.cp tcgen05.shift tcgen05.mma tcgen05.mma.sp tcgen05.mma.ws tcgen05.mma.ws.sp tcgen05.fence tcgen05.commit, tcgen05.alloc tcgen05.dealloc tcgen05.relinquish_alloc_permit > tcgen05-alloc-dealloc-relinquish-alloc-permit',
      '8.8': 'tcgen05.ld.red > tcgen05-ld',
    },
  },
  {
    title: 'Stack manipulation',
    anchor: 'stack-manipulation-instructions',
    names: { '7.3': 'stacksave stackrestore alloca' },
  },
  {
    title: 'Scalar video',
    anchor: 'scalar-video-instructions',
    names: {
      '2.0': 'vmad vset, vadd vsub vabsdiff vmin vmax > vadd-vsub-vabsdiff-vmin-vmax, vshl vshr > vshl-vshr',
    },
  },
  {
    title: 'SIMD video',
    anchor: 'simd-video-instructions',
    names: {
      '3.0': 'vset2 vset4, vadd2 vsub2 vavrg2 vabsdiff2 vmin2 vmax2 > vadd2-vsub2-vavrg2-vabsdiff2-vmin2-vmax2, vadd4 vsub4 vavrg4 vabsdiff4 vmin4 vmax4 > vadd4-vsub4-vavrg4-vabsdiff4-vmin4-vmax4',
    },
  },
  {
    title: 'Miscellaneous',
    anchor: 'miscellaneous-instructions',
    names: { '1.0': 'brkpt trap', '1.4': 'pmevent', '6.3': 'nanosleep', '8.0': 'setmaxnreg' },
  },
];

function instructionsOf({ title, anchor, names }: Chapter): ManualInstruction[] {
  return Object.entries(names).flatMap(([ptx, list]) =>
    list.split(', ').flatMap((group) => {
      const [words = '', shared] = group.split(' > ');
      return words.split(' ').map((name): ManualInstruction => ({ name, chapter: title, section: `${anchor}-${shared ?? name.replace(/[._]/g, '-')}`, ptx }));
    }),
  );
}

let listed: readonly ManualInstruction[] | undefined;

/**
 * Returns all instructions in the order of the manual's chapters. A name that several chapters list
 * occurs once for each of them (`add` four times).
 */
export function manualInstructions(): readonly ManualInstruction[] {
  listed ??= chapters.flatMap(instructionsOf);
  return listed;
}

let restsByWord: ReadonlyMap<string, readonly (readonly string[])[]> | undefined;

/**
 * Returns a map from the first word of each name to the remaining words of all names that begin
 * with it.
 */
function namesByWord(): ReadonlyMap<string, readonly (readonly string[])[]> {
  if (restsByWord !== undefined) return restsByWord;
  const made = new Map<string, string[][]>();
  for (const { name } of manualInstructions()) {
    const [word = '', ...rest] = name.split('.');
    made.set(word, [...(made.get(word) ?? []), rest]);
  }
  restsByWord = made;
  return made;
}

/** Returns the first words of all instructions. */
export function manualWords(): readonly string[] {
  return [...namesByWord().keys()];
}

/** Whether an instruction begins with `word`. */
export function isManualWord(word: string): boolean {
  return namesByWord().has(word);
}

/**
 * Returns the manual's name of the instruction with this opcode: the longest name whose words all
 * occur in the opcode (`ld.global.nc` for `ld.global.v2.nc.u32`). Returns undefined if no name
 * matches (`tcgen05.nothing`).
 */
export function manualNameOf(parts: readonly string[]): string | undefined {
  const [word = '', ...modifiers] = parts;
  let best: readonly string[] | undefined;
  for (const rest of namesByWord().get(word) ?? []) {
    const isLonger = best === undefined || rest.length > best.length;
    if (isLonger && rest.every((part) => modifiers.includes(part))) best = rest;
  }
  return best === undefined ? undefined : [word, ...best].join('.');
}
