// Draws a line chart of the loss.
import { svg } from '../dom.ts';

const [width, height, left, bottom, top, right] = [640, 260, 44, 26, 10, 8];
/** The maximum number of points on the line. */
const maxPoints = 400;

/**
 * Draws a chart of the losses. `start` is the loss of an untrained model, which determines the
 * range of the axis.
 */
export function lossChart(losses: readonly number[], start: number): SVGElement {
  const steps = Math.max(losses.length, 10);
  const most = Math.ceil(start * 2) / 2;
  const x = (step: number): number => left + ((step - 1) / (steps - 1)) * (width - left - right);
  const y = (loss: number): number => top + (1 - Math.min(loss, most) / most) * (height - top - bottom);
  const chart = svg('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', class: 'loss-chart' });
  const last = losses.at(-1);
  chart.append(
    svg(
      'title',
      {},
      last === undefined ? 'No losses yet' : `The loss fell to ${last.toFixed(3)} after ${losses.length} steps`,
    ),
  );
  for (let tick = 0; tick <= most; tick++) {
    chart.append(
      svg('line', { x1: left, x2: width - right, y1: y(tick), y2: y(tick), class: 'grid' }),
      svg('text', { x: left - 8, y: y(tick) + 4, 'text-anchor': 'end' }, String(tick)),
    );
  }
  const between = niceStep(steps);
  for (let step = between; step <= steps; step += between)
    chart.append(
      svg('text', { x: x(step), y: height - 8, 'text-anchor': step > 0.95 * steps ? 'end' : 'middle' }, String(step)),
    );
  const points = binned(losses);
  if (points.length > 0)
    chart.append(
      svg('polyline', {
        class: 'losses',
        points: points.map(([step, loss]) => `${x(step).toFixed(1)},${y(loss).toFixed(1)}`).join(' '),
      }),
    );
  return chart;
}

/** Returns the points of the line. A point is the average of consecutive losses. */
function binned(losses: readonly number[]): readonly (readonly [step: number, loss: number])[] {
  const size = Math.ceil(losses.length / maxPoints) || 1;
  const points: (readonly [number, number])[] = [];
  for (let first = 0; first < losses.length; first += size) {
    const part = losses.slice(first, first + size);
    points.push([first + (part.length + 1) / 2, part.reduce((sum, loss) => sum + loss, 0) / part.length]);
  }
  return points;
}

/**
 * Returns the distance of labels on an axis of length `count`. The distance is 1, 2, 5 or 10 times
 * a power of ten, and the axis has at most six such distances.
 */
function niceStep(count: number): number {
  const power = 10 ** Math.floor(Math.log10(count / 5));
  return [1, 2, 5, 10].map((digit) => digit * Math.max(power, 1)).find((step) => count / step <= 6) ?? count;
}
