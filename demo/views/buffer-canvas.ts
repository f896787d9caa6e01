// Draws the elements of a buffer on a canvas.
import type { Launch } from '../../src/base/launch.ts';
import { columnRanges, finiteRange, grey } from '../program/element-numbers.ts';

const plotWidth = 720;
const plotHeight = 200;
const margin = 56;

/** Draws the elements as a line, or as a band if there are more elements than columns. */
export function drawPlot(canvas: HTMLCanvasElement, numbers: readonly number[]): void {
  canvas.className = 'plot';
  const density = window.devicePixelRatio;
  canvas.width = plotWidth * density;
  canvas.height = plotHeight * density;
  const context = canvas.getContext('2d');
  if (!context) return;
  context.scale(density, density);
  const style = getComputedStyle(canvas);
  const [least, most] = finiteRange(numbers);
  const [top, bottom] = [10, plotHeight - 24];
  const y = (value: number): number =>
    most === least ? (top + bottom) / 2 : bottom - ((value - least) / (most - least)) * (bottom - top);
  const ranges = columnRanges(numbers, plotWidth - margin - 8);
  const step = (plotWidth - margin - 8) / Math.max(ranges.length, 1);
  context.strokeStyle = style.borderTopColor;
  context.fillStyle = style.color;
  context.font = '11px system-ui, sans-serif';
  context.strokeRect(margin - 0.5, top - 4.5, plotWidth - margin - 4, bottom - top + 9);
  context.textAlign = 'right';
  context.fillText(axisText(most), margin - 6, top + 6);
  if (most !== least) context.fillText(axisText(least), margin - 6, bottom + 2);
  context.textAlign = 'left';
  context.fillText('0', margin, plotHeight - 6);
  context.textAlign = 'right';
  context.fillText(String(numbers.length - 1), plotWidth - 4, plotHeight - 6);
  context.strokeStyle = style.getPropertyValue('--accent');
  context.lineWidth = 1.5;
  context.beginPath();
  let connected = false;
  for (const [column, range] of ranges.entries()) {
    const x = margin + (column + 0.5) * step;
    if (range === undefined) {
      connected = false;
      continue;
    }
    if (connected) context.lineTo(x, y(range[0]));
    else context.moveTo(x, y(range[0]));
    context.lineTo(x, y(range[1]) + (range[0] === range[1] ? 0.01 : 0));
    connected = true;
  }
  context.stroke();
}

const axisText = (value: number): string => String(Number(value.toPrecision(4)));

/** Draws each element as a square, from black for the least to white for the largest. */
export function drawPicture(canvas: HTMLCanvasElement, numbers: readonly number[], width: number): void {
  canvas.className = 'picture';
  canvas.width = width;
  canvas.height = Math.ceil(numbers.length / width);
  const context = canvas.getContext('2d');
  if (!context) return;
  const range = finiteRange(numbers);
  const image = context.createImageData(canvas.width, canvas.height);
  for (const [index, number] of numbers.entries()) {
    const level = grey(number, range);
    // Draw infinities and NaN in red.
    image.data.set(level === undefined ? [200, 30, 30, 255] : [level, level, level, 255], index * 4);
  }
  context.putImageData(image, 0, 0);
  // Enlarge small pictures. Set the size as a property, because the page's policy blocks style
  // attributes.
  canvas.style.inlineSize = `${Math.min(width * Math.max(1, Math.floor(384 / width)), 720)}px`;
}

/**
 * Returns a width for a picture of `count` elements: the number of threads in a row of a
 * two-dimensional grid, or otherwise the side of a square.
 */
export function suggestedWidth(count: number, { block, grid }: Launch): number {
  const row = block[0] * grid[0];
  const isPlane = block[1] * grid[1] > 1 && count % row === 0;
  return isPlane ? row : Math.max(1, Math.ceil(Math.sqrt(count)));
}
