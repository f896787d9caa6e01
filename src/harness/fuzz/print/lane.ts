// Prints instructions of one lane: a template with its registers and addresses.
import { places } from '../kernels/lane-template.ts';
import { departsNatively, factsOf } from '../kernels/native-departures.ts';
import type { LaneStatement } from '../kernels/tree.ts';
import type { Printing } from './printing.ts';

function isPlace(name: string): name is keyof typeof places {
  return Object.hasOwn(places, name);
}

export function printLane(printing: Printing, statement: LaneStatement): void {
  const { writer } = printing;
  const { template, results, sources, guard } = statement;
  if (departsNatively(statement)) printing.native = false;
  for (const fact of factsOf(statement)) printing.facts.add(fact);
  const texts = new Map<string, string>();
  for (const [i, text] of writer.results(template.results, results).entries()) texts.set(`D${i}`, text);
  for (const [i, name] of template.sources.entries()) {
    texts.set(`S${i}`, writer.source(name, sources[i] ?? { register: 0 }));
  }
  for (const [i, name] of template.temporaries.entries()) texts.set(`T${i}`, writer.temporary(name));
  const prefix = guard ? `@${writer.condition(guard)} ` : '';
  for (const line of template.lines) {
    const text = line
      .replace(/\b[DST]\d\b/g, (name) => texts.get(name) ?? name)
      .replace(/\b[A-Z]{2,}\b/g, (name) => (isPlace(name) ? writer.provide(places[name]) : name));
    writer.line(`${prefix}${text}`);
  }
}
