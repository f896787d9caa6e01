// Parses a file of litmus tests. The instructions of each thread are PTX, and become a function of
// a module that the PTX parser reads.
//
//   test MP
//   .global .u32 x;
//   .global .u32 flag;
//   thread writer, block 0
//     st.weak.global.u32 [x], 1;
//     st.release.gpu.global.u32 [flag], 1;
//   thread reader, block 1
//     ld.acquire.gpu.global.u32 %r0, [flag];
//     ld.weak.global.u32 %r1, [x];
//   forbidden reader:%r0 == 1 && reader:%r1 == 0
import { at } from '../../base/invariants.ts';
import type { Module, PtxFunction, Source, Span } from '../../ptx/ast.ts';
import { nearest, PtxError, parsePtx } from '../../ptx/index.ts';
import { litmusDiagnostics } from '../diagnostics.ts';
import type { Placement } from '../event.ts';
import type { Condition, Observable, Outcome } from './condition.ts';
import { aliasAddress, type LitmusTest, placeOf, type TestThread, type TestVariable } from './litmus-test.ts';
import { type Names, parseCondition } from './parse-condition.ts';
import { type Raise, raiseIn } from './raise.ts';
import { type AliasLine, findSections, type Section, type TestSections } from './sections.ts';

const moduleHead = '.version 8.7\n.target sm_90\n.address_size 64\n';
const registers =
  '.reg .pred %p<16>; .reg .b16 %rs<16>; .reg .b32 %r<32>; .reg .f32 %f<16>; .reg .b64 %rd<32>; .reg .f64 %fd<16>;';
/** The distance of the variables' addresses, and of the shared memories of blocks. */
const variableStride = 0x1000;
const blockStride = 0x100_0000;

/** Parses the tests of a file. Throws `PtxError` if there are errors. */
export function parseLitmus(source: Source): readonly LitmusTest[] {
  const raise = raiseIn(source);
  const names = new Set<string>();
  return findSections(source, raise).map((sections) => {
    if (names.has(sections.name)) raise(litmusDiagnostics.duplicate(sections.span, 'test', sections.name));
    names.add(sections.name);
    return parseTest(sections, source, raise);
  });
}

function parseTest(sections: TestSections, source: Source, raise: Raise): LitmusTest {
  for (const [index, { name, span }] of sections.threads.entries()) {
    if (sections.threads.slice(0, index).some((other) => other.name === name)) {
      raise(litmusDiagnostics.duplicate(span, 'thread', name));
    }
  }
  const { text: moduleText, place } = moduleOf(sections);
  const module = parseModule(moduleText, source, place);
  const threads = sections.threads.map(
    ({ name, place: where }, index): TestThread => ({
      name,
      placement: placementOf(where),
      code: at(module.functions, index, 'function of a thread'),
    }),
  );
  const variables = withAliases(variablesOf(module, threads), sections.aliases, raise);
  const { kind, body, start } = sections.condition;
  const { condition, observables } = parseCondition(body, start, namesOf(threads, variables, raise), raise);
  const text = body
    .replace(/\/\/[^\n]*/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const expected =
    kind === 'always'
      ? {
          expectation: 'forbidden' as const,
          stated: statedOutcome(condition, observables, { start, end: start + body.length }, raise),
          condition: { kind: 'not' as const, operand: condition },
          conditionText: `!(${text})`,
        }
      : { expectation: kind, condition, conditionText: text };
  return {
    name: sections.name,
    source,
    variables,
    threads,
    observables,
    ...expected,
    moduleText,
    place,
    span: sections.span,
  };
}

/** Returns the final state that a condition names: a conjunction of values for all observables. */
function statedOutcome(condition: Condition, observables: readonly Observable[], span: Span, raise: Raise): Outcome {
  const parts = condition.kind === 'and' ? condition.operands : [condition];
  return observables.map((_, index) => {
    const values = parts.filter((part) => part.kind === 'equal' && part.observable === index);
    const [value] = values;
    if (value?.kind !== 'equal' || parts.length !== observables.length) {
      return raise(litmusDiagnostics.expected(span, 'one value for each register and variable', 'this condition'));
    }
    return value.value;
  });
}

/** The number of a block without `cluster` is also the number of its cluster. */
function placementOf({ device, cluster, block }: Section['place']): Placement {
  const unique = (number: number) => device * 1000 + number;
  return { device, block: unique(block), cluster: unique(cluster ?? block) };
}

/** Builds the module, and the map from its text to the file. */
function moduleOf({ declarations, threads }: TestSections): Pick<LitmusTest, 'place'> & { readonly text: string } {
  let text = moduleHead;
  const pieces: { readonly at: number; readonly start: number; readonly length: number }[] = [];
  const append = ({ body, start }: { readonly body: string; readonly start: number }) => {
    pieces.push({ at: text.length, start, length: body.length });
    text += body;
  };
  append(declarations);
  for (const thread of threads) {
    text += `\n.func ${thread.name}() { ${registers}\n`;
    append(thread);
    text += '\nret; }';
  }
  const offset = (position: number): number => {
    const piece = pieces.findLast((candidate) => candidate.at <= position) ?? at(pieces, 0, 'piece of the module');
    return piece.start + Math.min(Math.max(position - piece.at, 0), piece.length);
  };
  return { text, place: (span) => ({ start: offset(span.start), end: offset(span.end) }) };
}

function parseModule(text: string, source: Source, place: (span: Span) => Span): Module {
  const { module, diagnostics } = parsePtx(text, { file: source.file, dialect: 'module' });
  if (module !== undefined) return module;
  throw new PtxError(
    source,
    diagnostics.map((diagnostic) => ({
      ...diagnostic,
      span: place(diagnostic.span),
      labels: diagnostic.labels.map((label) => ({ ...label, span: place(label.span) })),
    })),
  );
}

function variablesOf(module: Module, threads: readonly TestThread[]): readonly TestVariable[] {
  const blocks = [...new Set(threads.map(({ placement }) => placement.block))];
  return module.variables.flatMap((variable, index): readonly TestVariable[] => {
    const address = (index + 1) * variableStride;
    return variable.space === 'shared'
      ? blocks.map((block, order) => ({
          variable,
          block,
          address: address + (order + 1) * blockStride,
          aliasOf: undefined,
        }))
      : [{ variable, block: undefined, address, aliasOf: undefined }];
  });
}

/** Moves each alias to its own mapping of the memory of another variable of its size. */
function withAliases(
  variables: readonly TestVariable[],
  aliases: readonly AliasLine[],
  raise: Raise,
): readonly TestVariable[] {
  const names = variables.map(({ variable }) => variable.name);
  const find = (name: string, span: Span): TestVariable =>
    variables.find(({ variable }) => variable.name === name) ??
    raise(litmusDiagnostics.unknown(span, 'variable', name, nearest(name, names)));
  const moved = new Map<string, TestVariable>();
  for (const [index, { name, of, span }] of aliases.entries()) {
    const [alias, target] = [find(name, span), find(of, span)];
    const fits = [alias, target].every(({ variable }) => variable.space === 'global');
    if (!fits || moved.has(of) || alias === target || alias.variable.bytes !== target.variable.bytes) {
      raise(litmusDiagnostics.badAlias(span));
    }
    moved.set(name, { ...alias, address: aliasAddress(target.address, index + 1), aliasOf: of });
  }
  return variables.map((own) => moved.get(own.variable.name) ?? own);
}

function namesOf(threads: readonly TestThread[], variables: readonly TestVariable[], raise: Raise): Names {
  return {
    register(thread, register, span): Observable {
      const index = threads.findIndex(({ name }) => name === thread);
      const found = threads[index];
      const threadNames = threads.map(({ name }) => name);
      if (found === undefined)
        return raise(litmusDiagnostics.unknown(span, 'thread', thread, nearest(thread, threadNames)));
      const known = writtenRegisters(found.code);
      if (!known.includes(register))
        raise(litmusDiagnostics.unknown(span, 'register', register, nearest(register, known)));
      return { kind: 'register', thread: index, register, text: `${thread}:${register}` };
    },
    memory(variable, offset, span): Observable {
      const known = variables.map((candidate) => candidate.variable.name);
      const found = variables.find((candidate) => candidate.variable.name === variable);
      if (found === undefined)
        return raise(litmusDiagnostics.unknown(span, 'variable', variable, nearest(variable, known)));
      const bytes = Number(/\d+/.exec(found.variable.type)?.[0] ?? raise(litmusDiagnostics.badAddress(span))) / 8;
      if (offset + bytes > found.variable.bytes) raise(litmusDiagnostics.badAddress(span));
      const text = offset === 0 ? `[${variable}]` : `[${variable}+${offset}]`;
      return { kind: 'memory', address: placeOf(found.address).address + offset, bytes, text };
    },
  };
}

/** The registers that a thread's instructions write. */
function writtenRegisters({ body }: PtxFunction): readonly string[] {
  return body.flatMap((statement) =>
    statement.kind !== 'instruction'
      ? []
      : statement.row.writes.flatMap((name) => {
          const operand = statement.operands[name];
          const elements = operand?.kind === 'vector' ? operand.elements : [operand];
          return elements.flatMap((element) => (element?.kind === 'register' ? [element.register.name] : []));
        }),
  );
}
