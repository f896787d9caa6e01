// Draws one step: 32 lanes above, 32 lanes below, and the transfers between them.
import { widthOf } from '../../src/ptx/types.ts';
import { el, svg } from '../dom.ts';
import { formatBits, shorten } from '../format.ts';
import { allLanes, hasLane, type LaneFacts, type OperandValues, type Scene } from '../program/scene.ts';
import type { Format } from '../state.ts';

const cell = 34;
const gutter = 92;
const width = gutter + 32 * cell + 4;
const sourceTop = 24;
const boxHeight = 26;
const resultTop = 152;
const middle = (lane: number): number => gutter + lane * cell + cell / 2;

export interface FigureOptions {
  readonly scene: Scene;
  readonly format: Format;
  /** The description of the picture for screen readers. */
  readonly summary: string;
  readonly selected: number | undefined;
  readonly onSelect: (lane: number | undefined) => void;
}

export function laneFigure({ scene, format, summary, selected, onSelect }: FigureOptions): HTMLElement {
  const source = scene.sources.find(({ name }) => name === 'a') ?? scene.sources[0];
  const results = scene.results;
  const rows = Math.max(results.length, 1);
  const height = resultTop + rows * (boxHeight + 4) + 8;
  const picture = svg('svg', {
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: 'img',
    'aria-label': summary,
    class: selected === undefined ? 'figure' : 'figure has-selection',
  });
  picture.append(definitions());
  for (const facts of scene.lanes) if (facts.border) picture.append(border(facts.lane, height));
  picture.append(label('lane', 14));
  for (const facts of scene.lanes) picture.append(laneNumber(facts, selected));
  if (source) {
    picture.append(label(`${source.name} = ${shorten(source.text, 9)}`, sourceTop + 17));
    for (const facts of scene.lanes) picture.append(box(facts, source, format, sourceTop, false));
  }
  picture.append(...links(scene, selected, results.length > 0));
  for (const [index, result] of results.entries()) {
    const top = resultTop + index * (boxHeight + 4);
    picture.append(label(`${result.name} = ${shorten(result.text, 9)}`, top + 17));
    for (const facts of scene.lanes) picture.append(box(facts, result, format, top, true));
  }
  for (const lane of allLanes) {
    picture.append(
      svg('rect', {
        class: 'column',
        x: gutter + lane * cell,
        y: 0,
        width: cell,
        height,
        onclick: () => onSelect(lane === selected ? undefined : lane),
      }),
    );
  }
  return el(
    'div',
    { class: 'figure-scroll', tabindex: 0, role: 'region', 'aria-label': 'Picture of the lanes' },
    picture,
  );
}

function definitions(): SVGElement {
  const arrow = (id: string): SVGElement =>
    svg(
      'marker',
      { id, viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: 'auto-start-reverse' },
      svg('path', { d: 'M0 0L8 4L0 8z', class: id }),
    );
  return svg(
    'defs',
    {},
    arrow('arrow'),
    arrow('arrow-own'),
    svg(
      'pattern',
      { id: 'hatch', width: 6, height: 6, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)' },
      svg('line', { x1: 0, y1: 0, x2: 0, y2: 6, class: 'hatch' }),
    ),
  );
}

const label = (text: string, y: number): SVGElement => svg('text', { x: 4, y, class: 'label' }, text);

function border(lane: number, height: number): SVGElement {
  const x = gutter + lane * cell;
  return svg('line', { x1: x, x2: x, y1: 4, y2: height - 4, class: 'border' });
}

function laneNumber({ lane, member, executes }: LaneFacts, selected: number | undefined): SVGElement {
  const names = ['lane-number', ...(executes ? [] : ['idle']), ...(lane === selected ? ['selected'] : [])];
  // Write a lane in parentheses if it is not in its own membermask.
  return svg('text', { x: middle(lane), y: 14, class: names.join(' ') }, member === false ? `(${lane})` : String(lane));
}

function box(facts: LaneFacts, operand: OperandValues, format: Format, top: number, isResult: boolean): SVGElement {
  const { lane, executes } = facts;
  const isUndefined = hasLane(operand.undefinedLanes, lane) && executes;
  const exact = formatBits(operand.values[lane] ?? 0n, operand.type, format);
  const idle = isResult && !executes;
  const lines = idle ? ['–'] : isUndefined ? ['?'] : cellLines(exact, operand, lane, format);
  const kind = idle ? 'idle' : isUndefined ? 'undefined' : isResult ? 'result' : executes ? 'source' : 'idle';
  const note = idle ? 'inactive' : isUndefined ? `undefined by PTX (here ${exact})` : exact;
  return svg(
    'g',
    { class: `box ${kind}` },
    svg('rect', { x: gutter + lane * cell + 1.5, y: top, width: cell - 3, height: boxHeight, rx: 4 }),
    ...lines.map((text, index) =>
      svg('text', { x: middle(lane), y: top + (lines.length === 1 ? 17 : 11 + index * 11) }, text),
    ),
    svg('title', {}, `lane ${lane}: ${note}`),
  );
}

/** Writes a long bit pattern, such as a mask, as hexadecimal digits on two lines. */
function cellLines(exact: string, { values, type }: OperandValues, lane: number, format: Format): string[] {
  const isBits = format === 'hex' || (format === 'auto' && type === 'b32');
  if (exact.length <= 5 || !isBits || widthOf(type) !== 32) return [shorten(exact, 5)];
  const digits = (values[lane] ?? 0n).toString(16).padStart(8, '0');
  return [digits.slice(0, 4), digits.slice(4)];
}

function links(scene: Scene, selected: number | undefined, hasResult: boolean): SVGElement[] {
  if (!hasResult && scene.kind === 'lane') return [];
  if (scene.kind === 'exchange') return busses(scene, selected);
  return scene.lanes.flatMap((facts) => {
    if (!facts.executes) return [];
    return [arrow(facts, scene.kind === 'shuffle', selected)];
  });
}

const from = sourceTop + boxHeight + 2;
const to = resultTop - 3;

/**
 * Draws the transfer to a lane. A dashed line means that the source is out of range, so that the
 * lane keeps its own value.
 */
function arrow(facts: LaneFacts, isShuffle: boolean, selected: number | undefined): SVGElement {
  const { lane, reads = lane, inRange } = facts;
  const own = isShuffle && inRange === false;
  const [x1, x2] = [middle(reads), middle(lane)];
  const bend = (to - from) / 2;
  const names = ['arrow-line'];
  if (own) names.push('own');
  if (facts.undefined) names.push('uncertain');
  if (lane === selected || (reads === selected && isShuffle)) names.push('selected');
  return svg('path', {
    class: names.join(' '),
    d: x1 === x2 ? `M${x1} ${from}V${to}` : `M${x1} ${from}C${x1} ${from + bend} ${x2} ${to - bend} ${x2} ${to}`,
    'marker-end': `url(#${own ? 'arrow-own' : 'arrow'})`,
    'data-from': reads,
    'data-to': lane,
  });
}

/** Draws a separate line for each group of lanes that exchange values. */
function busses(scene: Scene, selected: number | undefined): SVGElement[] {
  const groups = [...new Set(scene.lanes.filter(({ executes }) => executes).map(({ group }) => group))];
  const step = (to - from - 24) / Math.max(groups.length, 1);
  return groups.flatMap((group, index) => {
    const members = allLanes.filter((lane) => hasLane(group, lane));
    const y = from + 12 + step * (index + 0.5);
    const [first = 0] = members;
    const last = members[members.length - 1] ?? first;
    const line = svg('line', { class: 'bus', x1: middle(first), x2: middle(last), y1: y, y2: y });
    const ends = members.map((lane) =>
      svg('path', {
        class: lane === selected ? 'arrow-line selected' : 'arrow-line',
        d: `M${middle(lane)} ${from}V${to}`,
        'marker-end': 'url(#arrow)',
        'data-from': lane,
        'data-to': lane,
      }),
    );
    const dots = members.map((lane) => svg('circle', { class: 'joint', cx: middle(lane), cy: y, r: 2.5 }));
    return [line, ...ends, ...dots];
  });
}
