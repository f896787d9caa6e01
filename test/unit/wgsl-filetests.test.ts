// PTX or IR to WGSL in text: each file under test/filetests/wgsl holds cases. The WGSL of a case must
// be that of the file, and must compute what the reference interpreter computes: on the plans that the
// case names, and on another one that changes from run to run. `UPDATE=1` writes the WGSL again.
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { WgslProgram } from '../../src/translate/index.ts';
import { drawn } from '../effort.ts';
import { compileCase } from '../filetests/compile-case.ts';
import { casesOf, type FileCase, printCases } from '../filetests/file-cases.ts';
import { checkCase, expectedOf } from '../filetests/run-case.ts';
import { plans, readCase, referenceSection, shownPart, type WgslCase, wgslFiles } from '../filetests/wgsl-cases.ts';

/// Cases whose WGSL computes something wrong today, by title, with the plans on which it does.
const knownFaults: Readonly<Record<string, readonly string[]>> = {};

/// Those that can run any kernel.
const everyPlan = Object.keys(plans).filter((name) => name !== 'portable lane');

const planOf = (name: string) => {
  const plan = plans[name];
  if (plan === undefined) throw new RangeError(`no plan is called \`${name}\``);
  return plan;
};

/// A program is compiled once for its text and its run.
function compiler(each: WgslCase): (planName: string) => WgslProgram {
  const programs = new Map<string, WgslProgram>();
  return (planName) => {
    const program = programs.get(planName) ?? compiled(each, planName);
    programs.set(planName, program);
    return program;
  };
}

function compiled(each: WgslCase, planName: string): WgslProgram {
  try {
    return compileCase(each, planOf(planName));
  } catch (error) {
    throw new Error(`\`${each.title}\` has no WGSL for the plan \`${planName}\``, { cause: error });
  }
}

function updated(each: FileCase): FileCase {
  const read = readCase(each);
  const compile = compiler(read);
  const reference = each.results.get(referenceSection);
  return {
    ...each,
    results: new Map([
      ...(reference === undefined ? [] : [[referenceSection, reference] as const]),
      ...read.plans.map((name) => [name, shownPart(read, compile(name))] as const),
    ]),
  };
}

const titles: string[] = [];

describe.each(wgslFiles())('%s', (_, path) => {
  if (process.env.UPDATE) {
    const cases = casesOf(readFileSync(path, 'utf8'), 'wgsl').map(updated);
    writeFileSync(path, printCases(cases, 'wgsl'));
  }
  const cases = casesOf(readFileSync(path, 'utf8'), 'wgsl').map((each) => ({ ...each, read: readCase(each) }));
  titles.push(...cases.map(({ title }) => title));
  describe.each(cases)('$title', ({ read, results }) => {
    const compile = compiler(read);
    it.each(read.plans)('%s', (planName) => {
      expect(results.get(planName), `UPDATE=1 writes the WGSL for the plan \`${planName}\``).toBeDefined();
      expect(shownPart(read, compile(planName))).toBe(results.get(planName));
    });
    const others = everyPlan.filter((name) => !read.plans.includes(name));
    const run = [...read.plans, ...drawn(others, 1)];
    it(`computes what the reference computes: ${run.join(', ')}`, () => {
      const expected = expectedOf(read);
      const known = knownFaults[read.title] ?? [];
      for (const planName of run) {
        const check = () => checkCase(read, expected, planName, planOf(planName), () => compile(planName));
        if (known.includes(planName)) expect(check, 'remove it from the known faults').toThrow();
        else check();
      }
    });
  });
});

it('every construct has a name of its own', () => {
  expect(titles.length).toBeGreaterThanOrEqual(100);
  expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([]);
  expect(Object.keys(knownFaults).filter((title) => !titles.includes(title))).toEqual([]);
});
