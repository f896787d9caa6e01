// Reads `fleet.json`: the machines of a fleet, and the WebDriver endpoints that open browsers on
// them.
//
//     { "grid": "http://grid:4444", "serve": "192.168.1.5:8100",
//       "machines": [ { "name": "linux-nvidia", "capabilities": { "browserName": "chrome" }, "sessions": 2 } ] }

import { isObject, type JsonObject } from '../../base/json-value.ts';
import { parseServeAddress } from '../webgpu/browser/serve-address.ts';
import { parseWebDriverTarget, type WebDriverTarget } from '../webgpu/browser/webdriver-target.ts';

/** A kind of machine in a fleet. A grid opens each session on a machine with the capabilities. */
export interface FleetMachine {
  /** The unique name in reports. */
  readonly name: string;
  readonly target: WebDriverTarget;
  /** The maximum number of concurrent sessions. */
  readonly sessions: number;
}

/** The error for an invalid fleet file. */
export class FleetError extends Error {
  constructor(file: string, place: string, message: string) {
    super(`${file}: ${place === '' ? '' : `${place} `}${message}`);
    this.name = 'FleetError';
  }
}

const maxMachines = 1000;
const maxSessions = 64;
const namePattern = /^[\w.:@ -]{1,80}$/;

/** Parses a fleet file. Throws `FleetError`, which names the file and the invalid member. */
export function parseFleet(file: string, text: string): FleetMachine[] {
  const fail = (place: string, message: string): never => {
    throw new FleetError(file, place, message);
  };
  const document = readJson(file, text);
  if (!isObject(document)) return fail('', 'must be an object');
  const { machines } = document;
  if (!Array.isArray(machines) || machines.length === 0) return fail('machines', 'must be a list of machines');
  if (machines.length > maxMachines) fail('machines', `must have at most ${maxMachines} entries`);
  onlyKnown(document, ['grid', 'serve', 'machines'], '', fail);
  const names = new Set<string>();
  return machines.map((entry: unknown, index) => {
    const place = `machines[${index}]`;
    if (!isObject(entry)) return fail(place, 'must be an object');
    onlyKnown(entry, ['name', 'grid', 'serve', 'capabilities', 'sessions'], `${place}.`, fail);
    const { name, sessions = 1, capabilities = {} } = entry;
    if (typeof name !== 'string' || !namePattern.test(name))
      return fail(`${place}.name`, 'must be up to 80 letters, digits, spaces and the characters _ . : @ -');
    if (names.has(name)) fail(`${place}.name`, `must be unique, but '${name}' appears twice`);
    names.add(name);
    if (typeof sessions !== 'number' || !Number.isInteger(sessions) || sessions < 1 || sessions > maxSessions)
      return fail(`${place}.sessions`, `must be an integer from 1 to ${maxSessions}`);
    if (!isObject(capabilities)) return fail(`${place}.capabilities`, 'must be an object');
    const { grid = document.grid, serve = document.serve } = entry;
    if (typeof grid !== 'string')
      return fail(`${place}.grid`, 'is missing: expected the address of a WebDriver endpoint');
    if (serve !== undefined && typeof serve !== 'string') return fail(`${place}.serve`, 'must be an address');
    try {
      const { url, capabilities: own } = parseWebDriverTarget(grid);
      const address = serve === undefined ? undefined : parseServeAddress(serve);
      return { name, sessions, target: { url, capabilities: { ...own, ...capabilities }, serve: address } };
    } catch (error) {
      if (error instanceof RangeError) return fail(`${place}:`, error.message);
      throw error;
    }
  });
}

function readJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new FleetError(file, '', `is not valid JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Throws for unknown members, because a misspelled name would otherwise be ignored. */
function onlyKnown(
  object: JsonObject,
  known: readonly string[],
  place: string,
  fail: (place: string, message: string) => never,
): void {
  for (const key of Object.keys(object)) {
    if (!known.includes(key)) fail(`${place}${key}`, `is unknown: expected one of ${known.join(', ')}`);
  }
}
