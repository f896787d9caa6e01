// A fleet's progress file, with one line for each machine and piece, so that interrupted work
// continues where it ended.

import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { fieldsOf, type JsonObject } from '../../base/json-value.ts';
import { FileError } from '../files/file-error.ts';
import { maxDocumentBytes, readText } from '../files/read-text.ts';

/** A result of one piece of work, in the form that all JSON documents of results share. */
export type JsonResult = JsonObject;

/** The requested work. A progress file of other work is rejected. */
export type CampaignHeader = JsonObject;

/** The error for a file that belongs to other work, or is not a campaign file. */
export class CampaignError extends Error {
  constructor(path: string, message: string) {
    super(`${path} ${message}`);
    this.name = 'CampaignError';
  }
}

export class CampaignFile {
  readonly #path: string | undefined;
  /** The results by machine and piece. */
  readonly #done = new Map<string, Map<string, readonly JsonResult[]>>();

  /**
   * Reads or creates the file. Without a path, stores nothing. Throws `CampaignError` for a file of
   * other work.
   */
  constructor(path: string | undefined, header: CampaignHeader) {
    this.#path = path;
    if (path === undefined) return;
    if (existsSync(path)) this.#read(path, header);
    else writeFileSync(path, line({ schemaVersion: 1, campaign: header }));
  }

  isDone(machine: string, piece: string): boolean {
    return this.#done.get(machine)?.has(piece) === true;
  }

  add(machine: string, piece: string, results: readonly JsonResult[]): void {
    this.#keep(machine, piece, results);
    if (this.#path !== undefined) appendFileSync(this.#path, line({ machine, piece, results }));
  }

  /** Returns a machine's results, in the order of `pieces`. */
  resultsOf(machine: string, pieces: readonly string[]): JsonResult[] {
    return pieces.flatMap((piece) => this.#done.get(machine)?.get(piece) ?? []);
  }

  #keep(machine: string, piece: string, results: readonly JsonResult[]): void {
    const own = this.#done.get(machine) ?? new Map<string, readonly JsonResult[]>();
    this.#done.set(machine, own.set(piece, results));
  }

  #read(path: string, header: CampaignHeader): void {
    const text = readCampaign(path);
    const { campaign, pieces, torn } = entriesOf(path, text);
    if (JSON.stringify(campaign) !== JSON.stringify(header)) {
      throw new CampaignError(
        path,
        'belongs to a campaign with other work: pass the same queries and seed, or another file',
      );
    }
    for (const { machine, piece, results } of pieces) this.#keep(machine, piece, results);
    if (torn > 0) writeFileSync(path, text.slice(0, text.length - torn));
  }
}

/** Whether a text starts like a campaign file. */
export function isCampaign(text: string): boolean {
  return /^\{"schemaVersion":1,"campaign":/.test(text);
}

/**
 * Returns the finished work of a campaign as a document that `lanewise merge` accepts. Throws
 * `CampaignError`.
 */
export function campaignDocument(path: string, text: string): object {
  const { campaign, pieces } = entriesOf(path, text);
  // If two programs used one file, both may have finished the same piece. The piece counts once.
  const once = new Map(pieces.map((entry) => [JSON.stringify([entry.machine, entry.piece]), entry.results]));
  const tool = { name: 'lanewise', version: fieldsOf(campaign).lanewise };
  return { schemaVersion: 1, tool, run: campaign, results: [...once.values()].flat() };
}

interface CampaignEntries {
  readonly campaign: unknown;
  readonly pieces: readonly { readonly machine: string; readonly piece: string; readonly results: JsonResult[] }[];
  /**
   * The number of characters in an incomplete last line, which a program wrote before it was
   * interrupted.
   */
  readonly torn: number;
}

function entriesOf(path: string, text: string): CampaignEntries {
  const lines = text.split('\n');
  const torn = lines.pop() ?? '';
  const [first, ...rest] = lines.map((entry) => parsed(path, entry));
  const pieces = rest.map((entry) => {
    const { machine, piece, results } = fieldsOf(entry);
    if (typeof machine !== 'string' || typeof piece !== 'string' || !Array.isArray(results)) {
      throw new CampaignError(path, 'is not a campaign of `lanewise fleet`');
    }
    return { machine, piece, results: results.map(fieldsOf) };
  });
  return { campaign: fieldsOf(first).campaign, pieces, torn: torn.length };
}

/**
 * Returns the seed of a campaign file, so that the user need not repeat it. Returns undefined if
 * there is no file.
 */
export function seedOfCampaign(path: string | undefined): number | undefined {
  if (path === undefined || !existsSync(path)) return undefined;
  const [first = ''] = readCampaign(path).split('\n');
  const { seed } = fieldsOf(fieldsOf(parsed(path, first)).campaign);
  return typeof seed === 'number' ? seed : undefined;
}

function readCampaign(path: string): string {
  try {
    return readText(path, maxDocumentBytes);
  } catch (error) {
    if (error instanceof FileError) throw new CampaignError(path, `cannot be read: ${error.message}`);
    throw error;
  }
}

const line = (entry: object): string => `${JSON.stringify(entry)}\n`;

function parsed(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new CampaignError(path, 'is not a campaign of `lanewise fleet`');
  }
}
