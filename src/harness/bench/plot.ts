// Draws a bar plot of ratios to native code, as self-contained SVG.
import { escapeXml } from '../report/escape.ts';

export interface Bar {
  /** The name of the bar's group. Consecutive bars with the same name form one group. */
  readonly name: string;
  readonly series: string;
  readonly ratio: number;
}

const barHeight = 11;
const groupGap = 7;
const labelWidth = 300;
const plotWidth = 520;
const top = 58;
const palette = ['#2b6cb0', '#dd6b20', '#63a3dd', '#f0a868', '#2f855a', '#805ad5'];

/**
 * Returns a plot with horizontal bars, with native speed at 100 %; undefined if there are no bars.
 */
export function ratioPlot(title: string, bars: readonly Bar[]): string | undefined {
  if (bars.length === 0) return undefined;
  const series = [...new Set(bars.map((bar) => bar.series))];
  const names = [...new Set(bars.map(({ name }) => name))];
  const most = Math.max(1, Math.ceil(Math.max(...bars.map(({ ratio }) => ratio)) * 4) / 4);
  const x = (ratio: number): number => labelWidth + (ratio / most) * plotWidth;
  const color = (name: string): string => palette[series.indexOf(name) % palette.length] ?? '#444';

  const shapes: string[] = [];
  let y = top;
  for (const name of names) {
    const own = bars.filter((bar) => bar.name === name);
    const middle = y + (own.length * barHeight) / 2 + 4;
    shapes.push(`<text x="${labelWidth - 8}" y="${middle}" text-anchor="end">${escapeXml(name)}</text>`);
    for (const { series: of, ratio } of own) {
      const width = Math.max(0, x(ratio) - labelWidth).toFixed(1);
      const tip = `<title>${escapeXml(`${name}, ${of}: ${percentage(ratio)}`)}</title>`;
      shapes.push(
        `<rect x="${labelWidth}" y="${y}" width="${width}" height="${barHeight - 1}" fill="${color(of)}">${tip}</rect>`,
      );
      shapes.push(`<text class="value" x="${(x(ratio) + 4).toFixed(1)}" y="${y + 8.5}">${percentage(ratio)}</text>`);
      y += barHeight;
    }
    y += groupGap;
  }
  const between = most > 2 ? 0.5 : 0.25;
  const ticks = Array.from({ length: Math.floor(most / between) + 1 }, (_, index) => index * between);
  const axis = ticks.flatMap((tick) => [
    `<line x1="${x(tick)}" y1="${top - 6}" x2="${x(tick)}" y2="${y}" class="${tick === 1 ? 'native' : 'tick'}"/>`,
    `<text x="${x(tick)}" y="${top - 10}" text-anchor="middle" class="value">${percentage(tick)}</text>`,
  ]);
  const legend = series.map((name, index) => {
    const left = labelWidth + index * 110;
    return `<rect x="${left}" y="24" width="10" height="10" fill="${color(name)}"/><text x="${left + 14}" y="33">${escapeXml(name)}</text>`;
  });
  const [width, height] = [labelWidth + plotWidth + 60, y + 10];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeXml(title)}">
<style>
text { font: 11px system-ui, sans-serif; fill: #222; }
.title { font-weight: 600; font-size: 13px; }
.value { font-size: 9px; fill: #555; }
.tick { stroke: #ddd; }
.native { stroke: #222; stroke-dasharray: 4 2; }
</style>
<rect width="100%" height="100%" fill="#fff"/>
<text x="8" y="16" class="title">${escapeXml(title)}</text>
${[...axis, ...legend, ...shapes].join('\n')}
</svg>
`;
}

function percentage(ratio: number): string {
  return `${Math.round(ratio * 100)}%`;
}
