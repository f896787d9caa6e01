// Parses the text that print.ts prints.
import type { Initializer, StateSpace, Variable } from '../../ptx/ast.ts';
import { Ids } from './builder.ts';
import type { Func, Program } from './nodes.ts';
import { FuncParser } from './parse-func.ts';
import { Cursor } from './text-tokens.ts';

export { IrSyntaxError } from './text-tokens.ts';

const nowhere = { start: 0, end: 0 };
const spaces: Readonly<Record<StateSpace, 0>> = { global: 0, shared: 0, local: 0, const: 0, param: 0 };
const isStateSpace = (text: string): text is StateSpace => Object.hasOwn(spaces, text);

export interface Parsed {
  readonly program: Program;
  /** Allocates numbers above those of the program's values. */
  readonly ids: Ids;
}

/** Parses a program. Throws IrSyntaxError for invalid syntax. The verifier checks the semantics. */
export function parseProgram(text: string, file = 'ir'): Parsed {
  const ids = new Ids();
  const variables = new Map<string, Variable>();
  const params: Variable[] = [];
  const pointerParams = new Set<number>();
  const others: Variable[] = [];
  const funcs: Func[] = [];
  let source = file;
  let dynamicShared = 0;
  let inside: FuncParser | undefined;
  const lines = text.split('\n');
  for (const [index, line] of lines.entries()) {
    const cursor = new Cursor(line, `${file}:${index + 1}`);
    if (cursor.done) continue;
    if (inside !== undefined) {
      if (!cursor.take('}')) {
        inside.line(cursor);
        continue;
      }
      funcs.push(inside.finish());
      inside = undefined;
    } else if (cursor.take('source')) {
      source = cursor.string();
    } else if (cursor.take('param')) {
      params.push(parseVariable(cursor, variables));
      if (cursor.take('pointer')) pointerParams.add(params.length - 1);
    } else if (cursor.take('variable')) {
      others.push(parseVariable(cursor, variables));
    } else if (cursor.take('dynamic_shared')) {
      dynamicShared = cursor.integer();
    } else {
      inside = FuncParser.head(cursor, ids, variables);
    }
    cursor.end();
  }
  if (inside !== undefined) throw new Cursor('', `${file}:${lines.length}`).fail('a function is not closed');
  const kernels = funcs.filter(({ kind }) => kind === 'kernel');
  const [kernel] = kernels;
  if (kernel === undefined || kernels.length > 1) {
    throw new Cursor('', `${file}:${lines.length}`).fail('a program must have exactly one kernel');
  }
  const functions = funcs.filter((func) => func !== kernel);
  const own = { params, pointerParams, variables: others, dynamicShared };
  const program = { source: { file: source, text: '' }, kernel, functions, ...own };
  return { program, ids };
}

/** Parses a variable, such as `shared tile: b32 bytes 128 align 4 array = 0: 0x00ff`. */
function parseVariable(cursor: Cursor, variables: Map<string, Variable>): Variable {
  const space = cursor.next('name');
  if (!isStateSpace(space)) return cursor.fail(`${space} is not a state space of variables`);
  const written = cursor.peek()?.kind === 'value' ? cursor.next('value') : cursor.next('name');
  cursor.expect(':');
  const type = cursor.next('name') as Variable['type'];
  cursor.expect('bytes');
  const bytes = cursor.integer();
  cursor.expect('align');
  const align = cursor.integer();
  const array = cursor.take('array');
  const external = cursor.take('extern');
  const initializers = cursor.take('=') ? cursor.list(() => parseInitializer(cursor)) : [];
  // A numeric suffix distinguishes variables with the same name.
  const [name = written] = written.split('.');
  const variable = { name, space, type, bytes, align, array, external, initializers, span: nowhere };
  variables.set(written, variable);
  return variable;
}

function parseInitializer(cursor: Cursor): Initializer {
  const offset = cursor.integer();
  cursor.expect(':');
  if (cursor.peek()?.kind === 'number') {
    const digits = cursor.next('number').slice(2);
    const bytes = Uint8Array.from({ length: digits.length / 2 }, (_, at) =>
      Number.parseInt(digits.slice(2 * at, 2 * at + 2), 16),
    );
    return { kind: 'bytes', offset, bytes };
  }
  const generic = cursor.take('generic');
  cursor.expect('@');
  const symbol = cursor.peek()?.kind === 'value' ? cursor.next('value') : cursor.next('name');
  const addend = cursor.integer();
  cursor.expect('bytes');
  return { kind: 'address', offset, symbol, addend, generic, bytes: cursor.integer() };
}
