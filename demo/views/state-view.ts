// Shows the state of the machine after a step: the positions of the lanes, all registers, and
// memory.
import { laneNames } from '../../src/cpu-ref/interpreter/state/findings.ts';
import type { ShownRegister } from '../compiler/pack-trace.ts';
import { byId, choice, el } from '../dom.ts';
import { formatBits } from '../format.ts';
import { bufferTypes, unpackBits } from '../program/inputs.ts';
import { clip, maxNameLength } from '../program/limits.ts';
import type { LineFinder } from '../program/line-finder.ts';
import type { Program } from '../program/program.ts';
import { hasLane } from '../program/scene.ts';
import type { ShownState, TraceStep } from '../program/trace.ts';
import type { Format } from '../state.ts';
import { shortName } from './buffer-view.ts';

export interface StateViewOptions {
  readonly onJump: (offset: number) => void;
  /** Called when the user opens a part that needs the state. */
  readonly onOpen: () => void;
}

/** A range of memory that the user can choose. */
interface Region {
  readonly id: string;
  readonly label: string;
  readonly bytes: Uint8Array;
  /** 1 for each byte with a defined value, and otherwise 0; undefined if all bytes are defined. */
  readonly defined: Uint8Array | undefined;
  readonly address: number;
  readonly type: (typeof bufferTypes)[number];
}

/** The maximum number of elements in the table of memory. */
const maxElements = 256;

export class StateView {
  readonly #options: StateViewOptions;
  readonly #places = byId('lane-places');
  readonly #registers = byId('registers');
  readonly #memory = byId('memory');
  #region = '';
  #type = '';
  #from = 0;

  constructor(options: StateViewOptions) {
    this.#options = options;
    byId('memory-part').addEventListener('toggle', options.onOpen);
    byId('registers-part').addEventListener('toggle', options.onOpen);
  }

  /**
   * Whether the user has opened the part that shows memory, for which a request is needed, and
   * whether the user has opened the part that shows registers.
   */
  get wants(): { readonly state: boolean; readonly registers: boolean } {
    const isOpen = (id: string): boolean => byId(id).hasAttribute('open');
    return { state: isOpen('memory-part'), registers: isOpen('registers-part') };
  }

  /** Shows the lanes of a step as a row, and whether each executes, waits or has exited. */
  renderLanes(step: TraceStep | undefined): void {
    if (!step) return this.#places.replaceChildren();
    const { lanes, exited, waiting } = step;
    const kinds = [
      ['executes', lanes, 'executes'],
      ['exited', exited, 'exited'],
      ['waits', waiting.sync, 'waits for the lanes of its membermask'],
      ['waits', waiting.barrier, 'waits at a barrier'],
      ['waits', waiting.converge, 'waits for other lanes of the warp'],
    ] as const;
    const row = el('ol', { class: 'lane-row', 'aria-label': 'The lanes of the warp' });
    for (let lane = 0; lane < 32; lane++) {
      const [kind, , text] = kinds.find(([, mask]) => hasLane(mask, lane)) ?? ['idle', 0, 'does not execute this step'];
      row.append(el('li', { class: kind, title: `lane ${lane} ${text}` }, String(lane)));
    }
    const words = kinds.flatMap(([kind, mask, text]) => {
      const own = kind === 'waits' ? mask & ~lanes : mask;
      return own === 0 || kind === 'executes' ? [] : [`${laneNames(own)}: ${text.replace('its', 'their')}`];
    });
    this.#places.replaceChildren(row, el('p', { class: 'note' }, words.join('; ')));
  }

  renderRegisters(registers: readonly ShownRegister[], types: ReadonlyMap<string, string>, format: Format): void {
    const head = el('tr', {}, el('th', { scope: 'col' }, 'register'));
    for (let lane = 0; lane < 32; lane++) head.append(el('th', { scope: 'col' }, String(lane)));
    const body = el('tbody');
    for (const { name, values, undefinedLanes, changed } of registers) {
      const type = typeOf(types.get(name));
      const row = el(
        'tr',
        { class: changed ? 'selected' : undefined },
        el('th', { scope: 'row' }, clip(name, maxNameLength)),
      );
      for (const [lane, bits] of values.entries()) {
        const isUndefined = hasLane(undefinedLanes, lane);
        row.append(
          el(
            'td',
            { class: isUndefined ? 'undefined' : undefined },
            isUndefined ? '?' : formatBits(bits, type, format),
          ),
        );
      }
      body.append(row);
    }
    const scroll = this.#registers.querySelector('.table-scroll')?.scrollLeft ?? 0; // The table may not be shown yet.
    const label = 'Registers by lane';
    this.#registers.replaceChildren(
      el(
        'div',
        { class: 'table-scroll', tabindex: 0, role: 'region', 'aria-label': label },
        el('table', { class: 'lanes registers' }, el('thead', {}, head), body),
      ),
    );
    this.#registers.querySelector('.table-scroll')?.scrollTo({ left: scroll, behavior: 'instant' });
  }

  /** Shows memory and the next instruction of each lane. */
  renderState(state: ShownState | undefined, program: Program, lines: LineFinder, format: Format): void {
    if (!state) return this.#memory.replaceChildren(el('p', { class: 'note' }, 'No state for this step.'));
    const regions = regionsOf(state, program);
    const region = regions.find(({ id }) => id === this.#region) ?? regions[0];
    const again = (): void => this.renderState(state, program, lines, format);
    const parts: HTMLElement[] = [this.#nextLines(state, lines)];
    if (region) {
      const type = bufferTypes.find((kind) => kind === this.#type) ?? region.type;
      const width = { u8: 1, s8: 1, u16: 2, s16: 2, f16: 2, bf16: 2, u64: 8, s64: 8, f64: 8, u32: 4, s32: 4, f32: 4 }[
        type
      ];
      const count = Math.floor(region.bytes.length / width);
      const from = Math.min(this.#from, Math.max(0, count - 1));
      const first = el('input', {
        type: 'number',
        min: 0,
        max: Math.max(0, count - 1),
        value: from,
        onchange: () => {
          this.#from = Math.max(0, Math.trunc(Number(first.value)) || 0);
          again();
        },
      });
      parts.push(
        el(
          'div',
          { class: 'fields' },
          choice(
            'Memory',
            regions.map(({ id, label }) => [id, label] as const),
            region.id,
            (id) => {
              this.#region = id;
              this.#type = '';
              this.#from = 0;
              again();
            },
          ),
          choice(
            'as',
            bufferTypes.map((kind) => [kind, kind] as const),
            type,
            (kind) => {
              this.#type = kind;
              again();
            },
          ),
          el('label', { class: 'field' }, el('span', {}, 'from element'), first),
        ),
        memoryTable(region, type, width, from, count, format),
      );
    }
    this.#memory.replaceChildren(...parts);
  }

  #nextLines({ next }: ShownState, lines: LineFinder): HTMLElement {
    const masks = new Map<number, number>();
    for (const [lane, offset] of next.entries()) {
      // There is no mask before the first lane at this offset.
      if (offset >= 0) masks.set(offset, (masks.get(offset) ?? 0) | (1 << lane));
    }
    const list = el('ul', { class: 'messages' });
    for (const [offset, mask] of masks) {
      const jump = el(
        'button',
        { type: 'button', class: 'link', onclick: () => this.#options.onJump(offset) },
        `line ${lines.at(offset).line}`,
      );
      list.append(el('li', {}, `${laneNames(mask)}: next at `, jump));
    }
    return list;
  }
}

const registerTypes = [
  'pred',
  'b16',
  'b32',
  'b64',
  'u16',
  'u32',
  'u64',
  's16',
  's32',
  's64',
  'f16',
  'bf16',
  'f32',
  'f64',
  'b128',
] as const;

// Show a packed type as 64 bits.
const typeOf = (text: string | undefined) => registerTypes.find((type) => type === text) ?? 'b64';

function regionsOf({ shared, buffers }: ShownState, program: Program): Region[] {
  const arrays = shared.arrays.map(({ name, start, bytes }, index): Region => {
    const end = bytes === 0 ? shared.bytes.length : start + bytes;
    return {
      id: `shared ${index}`,
      label: `shared ${clip(name, maxNameLength)}`,
      bytes: shared.bytes.subarray(start, end),
      defined: shared.defined.subarray(start, end),
      address: start,
      type: 'u32',
    };
  });
  const outside = [...buffers].flatMap(([index, { bytes, address }]): Region[] => {
    const param = program.launch.params[index];
    if (param?.kind !== 'buffer') return [];
    const type = bufferTypes.find((kind) => kind === param.type) ?? 'u32'; // Show a type of bits as words.
    return [
      {
        id: `buffer ${index}`,
        label: clip(shortName(param.name, program), maxNameLength),
        bytes,
        defined: undefined,
        address,
        type,
      },
    ];
  });
  return [...arrays, ...outside];
}

const perRow = 8;

function memoryTable(
  { bytes, defined, address, label }: Region,
  type: Region['type'],
  width: number,
  from: number,
  count: number,
  format: Format,
): HTMLElement {
  const body = el('tbody');
  const last = Math.min(count, from + maxElements);
  for (let at = from; at < last; at += perRow) {
    const place = `0x${(address + at * width).toString(16)}`;
    const row = el('tr', {}, el('th', { scope: 'row' }, place), el('td', { class: 'note' }, `[${at}]`));
    for (let index = at; index < Math.min(at + perRow, last); index++) {
      // If `defined` is undefined, all bytes are defined.
      const isDefined = defined?.subarray(index * width, (index + 1) * width).every((mark) => mark === 1) ?? true;
      const text = formatBits(unpackBits(bytes, index, width), type, format);
      row.append(el('td', { class: isDefined ? undefined : 'undefined' }, isDefined ? text : '?'));
    }
    body.append(row);
  }
  const table = el('table', { class: 'lanes memory' }, body);
  return el('div', { class: 'table-scroll', tabindex: 0, role: 'region', 'aria-label': `Contents of ${label}` }, table);
}
