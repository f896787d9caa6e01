// The supported SASS instructions, and the equivalent PTX opcodes.

/**
 * The kind of the operand at a position of an instruction. `bits` is the width of an immediate, or
 * undefined for a 32-bit value of any kind.
 */
export type Place =
  | { readonly kind: 'predicate' | 'register' | 'float' | 'condition' }
  | { readonly kind: 'bits'; readonly name: string; readonly bits: number | undefined };

export interface SassForm {
  /** The syntax of the instruction, for messages. */
  readonly form: string;
  /** The PTX modifier for each SASS modifier. */
  readonly modifiers: Readonly<Record<string, string>>;
  /** Modifiers of which exactly one is required. */
  readonly modes?: readonly string[];
  readonly places: readonly Place[];
  /** Returns the parts of the PTX opcode for some PTX modifiers. */
  readonly opcode: (modifiers: readonly string[]) => readonly string[];
}

const predicate = { kind: 'predicate' } as const;
const register = { kind: 'register' } as const;
const float = { kind: 'float' } as const;
const condition = { kind: 'condition' } as const;
const bits = (name: string, width?: number): Place => ({ kind: 'bits', name, bits: width });
const rounding = { RN: 'rn', RZ: 'rz', RM: 'rm', RP: 'rp' } as const;
const arithmetic = { ...rounding, FTZ: 'ftz', SAT: 'sat' } as const;
const shuffleModes = { IDX: 'idx', UP: 'up', DOWN: 'down', BFLY: 'bfly' } as const;
const hasRounding = (modifiers: readonly string[]) => modifiers.some((modifier) => /^r[nzmp]$/.test(modifier));

export const sassForms: Readonly<Record<string, SassForm>> = {
  SHFL: {
    form: 'SHFL.mode Pu, Rd, Ra, Sb, Sc',
    modifiers: shuffleModes,
    modes: Object.keys(shuffleModes),
    places: [predicate, register, register, bits('Sb', 5), bits('Sc', 13)],
    opcode: (modifiers) => ['shfl', ...modifiers, 'b32'],
  },
  SEL: {
    form: 'SEL Rd, Ra, Sb, Pp',
    modifiers: {},
    places: [register, bits('Ra'), bits('Sb'), condition],
    opcode: () => ['selp', 'b32'],
  },
  FADD: {
    form: 'FADD Rd, Ra, Sb',
    modifiers: arithmetic,
    places: [register, float, float],
    opcode: (modifiers) => ['add', ...modifiers, 'f32'],
  },
  FMUL: {
    form: 'FMUL Rd, Ra, Sb',
    modifiers: arithmetic,
    places: [register, float, float],
    opcode: (modifiers) => ['mul', ...modifiers, 'f32'],
  },
  FFMA: {
    form: 'FFMA Rd, Ra, Sb, Sc',
    modifiers: arithmetic,
    places: [register, float, float, float],
    opcode: (modifiers) => ['fma', ...(hasRounding(modifiers) ? [] : ['rn']), ...modifiers, 'f32'],
  },
  MOV: { form: 'MOV Rd, Sb', modifiers: {}, places: [register, bits('Sb')], opcode: () => ['mov', 'b32'] },
  EXIT: { form: 'EXIT', modifiers: {}, places: [], opcode: () => ['exit'] },
};
