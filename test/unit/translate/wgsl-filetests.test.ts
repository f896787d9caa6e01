// From PTX or IR text to WGSL. Each file under test/filetests/wgsl holds cases. The compiler must
// print the WGSL of the file. The executed WGSL must return the results of the reference
// interpreter, on the plans of the case and on one more plan, which changes from run to run.
// `UPDATE=1` writes the WGSL.
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { WgslProgram } from '../../../src/translate/index.ts';
import { drawn } from '../../effort.ts';
import { compileCase } from '../../filetests/compile-case.ts';
import { casesOf, type FileCase, printCases } from '../../filetests/file-cases.ts';
import { checkCase, expectedOf } from '../../filetests/run-case.ts';
import { everyPlan, planOf, readCase, referenceSection, shownPart, wgslFiles } from '../../filetests/wgsl-cases.ts';

/** Cases whose WGSL returns wrong results on their plans: title and reason. */
const knownFaults: Readonly<Record<string, string>> = {};

/** Returns a compiler of a case that compiles each plan once. */
function compiler(each: FileCase): (planName: string) => WgslProgram {
  const programs = new Map<string, WgslProgram>();
  return (planName) => {
    const known = programs.get(planName);
    if (known !== undefined) return known;
    try {
      const program = compileCase(readCase(each), planOf(planName));
      programs.set(planName, program);
      return program;
    } catch (error) {
      throw new Error(`\`${each.title}\` has no WGSL for the plan \`${planName}\``, { cause: error });
    }
  };
}

function updated(each: FileCase): FileCase {
  const read = readCase(each);
  const compile = compiler(each);
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
  for (const each of casesOf(readFileSync(path, 'utf8'), 'wgsl')) {
    const read = readCase(each);
    titles.push(read.title);
    const isKnown = Object.hasOwn(knownFaults, read.title);
    const others = everyPlan.filter((name) => !read.plans.includes(name));
    const run = isKnown ? read.plans : [...read.plans, ...drawn(others, 1)];
    it(`${read.title} (${run.join(', ')})`, () => {
      const compile = compiler(each);
      for (const name of read.plans)
        expect(shownPart(read, compile(name)), `if the change is intended, UPDATE=1 writes it`).toBe(
          each.results.get(name),
        );
      const expected = expectedOf(read);
      for (const name of run) {
        const program = compile(name);
        const check = () => checkCase(read, expected, name, program);
        if (isKnown) expect(check, 'it is correct now: remove it from the known faults').toThrow();
        else check();
      }
    });
  }
});

it('titles of cases are unique', () => {
  expect(titles.length).toBeGreaterThanOrEqual(100);
  expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([]);
  expect(Object.keys(knownFaults).filter((title) => !titles.includes(title))).toEqual([]);
});
