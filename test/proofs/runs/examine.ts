// Proves changed shaders. A proof must refute each change that has an effect, and the test interpreter
// must confirm the operands of the refutation. A change without an effect must be proved: the changed
// shader still returns what the manual defines.
import { seeded } from '../../seed.ts';
import type { Mutant } from '../mutants.ts';
import { type Problem, proveShader } from '../prove-shader.ts';
import { isBroken } from '../run-problem.ts';
import type { Solver } from '../terms/solver.ts';
import { forgetTerms } from '../terms/term.ts';
import { OutOfBounds } from '../wgsl/place.ts';
import { writeRecords } from './records.ts';

/** `refuted`: by operands that the interpreter confirms. `proved`: the change has no effect. */
type Outcome = 'refuted' | 'not confirmed' | 'proved' | 'not decided';

/** A rule, and the lane plan of its shader in words. */
interface Subject {
  readonly rule: string;
  readonly plan: string;
}

interface MutantRecord extends Subject {
  /** The changed line of the shader. */
  readonly line: number;
  readonly text: string;
  readonly outcome: Outcome;
}

export class Examiner {
  private readonly records: MutantRecord[] = [];
  private readonly name: string;
  private readonly solver: Solver;

  /** `name`: the name of the file for the records. */
  constructor(name: string, solver: Solver) {
    this.name = name;
    this.solver = solver;
  }

  /** Proves some of the mutants of the shader of a problem. */
  async shader(
    subject: Subject,
    make: () => Problem,
    mutantsOf: (code: string) => readonly Mutant[],
    count: number,
  ): Promise<void> {
    forgetTerms();
    const mutants = mutantsOf(make().code);
    for (const mutant of draw(mutants, `${subject.rule} ${subject.plan}`, count)) {
      forgetTerms();
      const outcome = await this.outcomeOf({ ...make(), code: mutant.code }, mutant.text);
      this.records.push({ ...subject, line: mutant.line, text: mutant.text, outcome });
    }
    writeRecords(this.name, this.records);
  }

  /** The number of changes that have an effect. */
  withEffect(): number {
    return this.records.filter(({ outcome }) => outcome !== 'proved').length;
  }

  /** The share of the changes with an effect that proofs refute. */
  share(): number {
    return this.records.filter(({ outcome }) => outcome === 'refuted').length / this.withEffect();
  }

  private async outcomeOf(problem: Problem, name: string): Promise<Outcome> {
    const verdict = await proveShader(this.solver, problem).catch((error: unknown) => {
      // If an index is outside of an array for all operands, any operands refute the shader.
      if (error instanceof OutOfBounds) return { kind: 'refuted', values: new Map<string, bigint>() } as const;
      throw error;
    });
    if (verdict.kind === 'proved') return 'proved';
    if (isBroken(problem, verdict.kind === 'refuted' ? verdict.values : new Map(), name)) return 'refuted';
    return verdict.kind === 'unknown' ? 'not decided' : 'not confirmed';
  }
}

/** Draws distinct mutants. */
function draw(mutants: readonly Mutant[], name: string, count: number): readonly Mutant[] {
  const random = seeded('mutants', name);
  const all = [...mutants];
  const drawn: Mutant[] = [];
  while (drawn.length < count && all.length > 0) drawn.push(...all.splice(random.below(all.length), 1));
  return drawn;
}
