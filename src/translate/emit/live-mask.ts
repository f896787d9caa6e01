// Who is there: `live` is false in lanes that never existed, have ended, or have left a construct before the others ("parked").
import { type Block, liveAtStart } from '../ir.ts';
import type { Jump } from '../structure.ts';
import { threadNumber } from './operands.ts';
import type { Scope } from './scope.ts';

/// What a first emission finds out for the second.
export interface StraightNeeds {
  /// Lanes end or leave before others, or never existed: `live` says who is there.
  live: boolean;
  /// Some lanes leave a construct before others: then all jumps are by masks.
  masked: boolean;
  /// Registers that lanes which have left still read where they go on.
  kept: ReadonlySet<string>;
  /// Constructs that lanes leave before others, by the name of their flag.
  parks: ReadonlySet<string>;
}

export const noNeeds: StraightNeeds = { live: false, masked: false, kept: new Set(), parks: new Set() };

/// Needs only grow from one emission to the next.
export function joinNeeds(a: StraightNeeds, b: StraightNeeds): StraightNeeds {
  return {
    live: a.live || b.live,
    masked: a.masked || b.masked,
    kept: new Set([...a.kept, ...b.kept]),
    parks: new Set([...a.parks, ...b.parks]),
  };
}

export function sameNeeds(a: StraightNeeds, b: StraightNeeds): boolean {
  return a.live === b.live && a.masked === b.masked && a.kept.size === b.kept.size && a.parks.size === b.parks.size;
}

export class LiveMask {
  readonly found: StraightNeeds = { ...noNeeds };
  private readonly scope: Scope;
  private readonly needs: StraightNeeds;
  private readonly liveIn: readonly ReadonlySet<string>[];

  constructor(scope: Scope, needs: StraightNeeds, blocks: readonly Block[]) {
    this.scope = scope;
    this.needs = needs;
    this.liveIn = liveAtStart(blocks);
  }

  /// Writes the mask at the kernel's start. `partial`: not every lane of every subgroup is a thread.
  start(partial: boolean): void {
    if (partial) this.found.live = true;
    if (!this.needs.live) return;
    const { slots, block, plan } = this.scope.options;
    const { out } = this.scope;
    const threads = block[0] * block[1] * block[2];
    const whole = threads % 32 === 0 && plan.kind !== 'wide';
    const initial = (slot: string) => (whole ? 'true' : `${threadNumber(this.scope, slot)} < ${threads}u`);
    if (slots === 1) {
      out.line(`var live = ${initial('s')};`);
    } else {
      out.line(`var live: array<bool, ${slots}>;`);
      this.eachSlot(() => out.line(`live[s] = ${initial('s')};`));
    }
  }

  /// WGSL of the mask in the lane of a slot.
  at(slot: string): string {
    return this.scope.options.slots > 1 ? `live[${slot}]` : 'live';
  }

  eachSlot(body: () => void): void {
    const { out, options } = this.scope;
    if (options.slots === 1) return body();
    out.open(`for (var s = 0u; s < ${options.slots}u; s++)`);
    body();
    out.close();
  }

  /// The lane takes no part until the construct of `until` ends; undefined: for good.
  leave(until: Jump | undefined): void {
    this.find(until);
    if (until) this.scope.out.line(`${this.parkedAt(until)} = true;`);
    this.scope.out.line(`${this.at('s')} = false;`);
  }

  /// The same in lanes where a condition does not hold, and without a branch: `stays` is WGSL that any lane may compute.
  leaveUnless(stays: string, until: Jump | undefined): void {
    this.find(until);
    const live = this.at('s');
    if (until) {
      const parked = this.parkedAt(until);
      this.scope.out.line(`${parked} = ${parked} || (${live} && !${stays});`.replace('!!', ''));
    }
    this.scope.out.line(`${live} = ${live} && ${stays};`);
  }

  private find(until: Jump | undefined): void {
    this.found.live = true;
    if (!until) return;
    this.found.masked = true;
    // Where the lane goes on: behind a block, or at a loop's header.
    const target = Math.floor(until.label / 2);
    this.found.kept = new Set([...this.found.kept, ...(this.liveIn[target] ?? [])]);
    this.found.parks = new Set([...this.found.parks, parkName(until)]);
  }

  /// All lanes that are there leave.
  leaveAll(until: Jump): void {
    this.eachSlot(() => {
      this.scope.out.open(`if (${this.at('s')})`);
      this.leave(until);
      this.scope.out.close();
    });
  }

  /// Whether lanes leave for the end of a construct.
  hasParked(jump: Jump): boolean {
    return this.needs.parks.has(parkName(jump));
  }

  /// Lanes that left for the end of a construct are back.
  unpark(jump: Jump): void {
    if (!this.hasParked(jump)) return;
    this.eachSlot(() => {
      const parked = this.parkedAt(jump);
      this.scope.out.line(`${this.at('s')} = ${this.at('s')} || ${parked};`);
      this.scope.out.line(`${parked} = false;`);
    });
  }

  private parkedAt(jump: Jump): string {
    const name = parkName(jump);
    const { slots } = this.scope.options;
    this.scope.uses.variables.set(name, slots > 1 ? `var ${name}: array<bool, ${slots}>;` : `var ${name} = false;`);
    return slots > 1 ? `${name}[s]` : name;
  }
}

const parkName = ({ kind, label }: Jump): string => `parked_${kind}_${label}`;
