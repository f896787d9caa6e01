// Reads documents of `lanewise bench`, from this version or an earlier version.
import { fieldsOf, type JsonObject, textOf } from '../../base/json-value.ts';
import { type Unit, units } from '../../base/rate.ts';
import type { Spread } from './statistics.ts';

/** A measured rate, or a time of the tool itself. */
export interface Figure {
  /** The entry, the machine and the float mode, such as `kernel:gemv, chrome fast`. */
  readonly name: string;
  /**
   * The measured values; undefined if the entry was wrong, refused or failed, as `outcome` states.
   */
  readonly spread: Spread | undefined;
  readonly outcome: string;
  readonly unit: Unit | 'ms' | 'lane results a second';
}

export interface BenchDocument {
  /** The figures in the document's order. */
  readonly figures: ReadonlyMap<string, Figure>;
  /** The document's description of each machine's adapter. */
  readonly adapters: ReadonlyMap<string, string>;
}

/** The error for a text that is not a valid document of `lanewise bench`. */
export class DocumentError extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'DocumentError';
  }
}

/** Reads a benchmark document. Throws `DocumentError` if it is invalid. */
export function readDocument(document: unknown): BenchDocument {
  const { schemaVersion, run, results, toolResults, executors } = fieldsOf(document);
  const isKnown = (schemaVersion === 1 || schemaVersion === 2) && fieldsOf(run).command === 'bench';
  if (!isKnown || !Array.isArray(results)) {
    throw new DocumentError('not a document of `lanewise bench` (schemaVersion 1 or 2)');
  }
  const entries = results.map((result: unknown) => entryFigure(fieldsOf(result), schemaVersion === 1));
  const tool = Array.isArray(toolResults) ? toolResults.map((result: unknown) => toolFigure(fieldsOf(result))) : [];
  const described = Array.isArray(executors) ? executors.map(fieldsOf) : [];
  return {
    figures: new Map([...entries, ...tool].map((figure) => [figure.name, figure])),
    adapters: new Map(described.map(({ name, adapter }) => [textOf(name), adapterText(fieldsOf(adapter))])),
  };
}

function entryFigure(result: JsonObject, isFirst: boolean): Figure {
  const id = isFirst ? renamed(textOf(result.id)) : textOf(result.id);
  return {
    name: `${id}, ${textOf(result.series ?? result.machine)}`,
    spread: result.status === 'measured' ? spreadIn(result.rate) : undefined,
    outcome: textOf(result.status),
    unit: units.find((unit) => unit === result.unit) ?? 'lane operations',
  };
}

function toolFigure(result: JsonObject): Figure {
  const spread = spreadIn(result.value);
  return {
    name: `${textOf(result.id)}, ${textOf(result.machine)}`,
    spread,
    outcome: spread ? 'measured' : 'error',
    unit: result.unit === 'ms' ? 'ms' : 'lane results a second',
  };
}

/**
 * Maps ids of old documents to current ids. Old forms with operands in registers are now called
 * `-invariant`, because their operands do not change in the loop.
 */
function renamed(id: string): string {
  return id.replace(/:(register|mask|guard|groups):/, ':$1-invariant:');
}

function spreadIn(value: unknown): Spread | undefined {
  const { samples, median, min, max } = fieldsOf(value);
  const numbers = [samples, median, min, max].filter((number) => typeof number === 'number');
  const [count, middle, least, most] = numbers;
  if (count === undefined || middle === undefined || least === undefined || most === undefined) return undefined;
  return middle > 0 ? { samples: count, median: middle, min: least, max: most } : undefined;
}

function adapterText({ description, device, host }: JsonObject): string {
  const model = description === '' ? device : (description ?? device);
  return [model, host].filter((part) => typeof part === 'string' && part !== '').join(', ');
}
