// Declares the variables of a module.
import { at } from '../../base/invariants.ts';
import { SyntaxFailure } from '../../ptx/diagnostics/reporter.ts';
import { llvmDiagnostics } from '../diagnostics.ts';
import type { GlobalVariable, Value } from '../ir/module.ts';
import { bitsOf, isScalar, type Leaf, leavesOf, sizeOf, spaces } from '../ir/types.ts';
import { type ModuleNames, variableSpace } from './names.ts';
import { constantOffset } from './offsets.ts';
import { spaceNames } from './scalar.ts';

export function declareVariable(variable: GlobalVariable, names: ModuleNames): string {
  const { name, type, init, align, isPublic, span } = variable;
  const number = variableSpace(variable);
  const space = spaceNames.get(number);
  if (space === undefined || space === '')
    throw new SyntaxFailure(llvmDiagnostics.unsupported(span, `address space ${number}`));
  const size = sizeOf(type);
  const text = names.textOf(name);
  if (init === undefined) {
    const extent = number === spaces.shared && size === 0 ? '' : String(size);
    return `.extern ${space} .align ${align} .b8 ${text}[${extent}];`;
  }
  const linkage = isPublic && number !== spaces.shared ? '.visible ' : '';
  const head = `${linkage}${space} .align ${align}`;
  // Shared variables have no initial value, so their initializers in LLVM are undefined.
  if (number === spaces.shared || init.kind === 'undefined') return `${head} .b8 ${text}[${size}];`;
  const { bytes, addresses } = contentsOf(init, names, variable);
  if (addresses.size === 0) return `${head} .b8 ${text}[${size}]${initializer([...bytes].map(String))};`;
  const step = Math.max(...leavesOf(type).map((leaf) => (leaf.type.kind === 'ptr' ? leaf.type.bytes : 0)), 4);
  if (size % step !== 0 || [...addresses.keys()].some((offset) => offset % step !== 0))
    throw new SyntaxFailure(llvmDiagnostics.unsupported(span, 'an address at this offset of a variable'));
  const view = new DataView(bytes.buffer);
  const words = Array.from(
    { length: size / step },
    (_, index) =>
      addresses.get(step * index) ??
      String(step === 8 ? view.getBigUint64(8 * index, true) : view.getUint32(4 * index, true)),
  );
  return `${head} .u${8 * step} ${text}[${words.length}] = {${words.join(', ')}};`;
}

/** Returns an initializer ` = {…}`, without the zeros at the end. */
function initializer(texts: readonly string[]): string {
  const last = texts.findLastIndex((text) => text !== '0');
  return last < 0 ? '' : ` = {${texts.slice(0, last + 1).join(', ')}}`;
}

interface Contents {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The texts of the addresses in the variable, by offset. */
  readonly addresses: Map<number, string>;
}

function contentsOf(init: Value, names: ModuleNames, variable: GlobalVariable): Contents {
  const contents: Contents = { bytes: new Uint8Array(sizeOf(variable.type)), addresses: new Map() };
  const leaves = leavesOf(variable.type);
  let next = 0;
  const visit = (value: Value): void => {
    if (value.kind === 'aggregate') {
      for (const element of value.elements) visit(element);
      return;
    }
    if (!isScalar(value.type)) {
      next += leavesOf(value.type).length;
      return;
    }
    write(contents, at(leaves, next++, 'the leaf'), value, names, variable);
  };
  visit(init);
  return contents;
}

function write(
  { bytes, addresses }: Contents,
  { type, offset }: Leaf,
  value: Value,
  names: ModuleNames,
  variable: GlobalVariable,
): void {
  if (value.kind === 'int' || value.kind === 'float') {
    const bits = value.kind === 'int' ? value.value : value.bits;
    for (let byte = 0; 8 * byte < bitsOf(type); byte++)
      bytes[offset + byte] = Number((bits >> BigInt(8 * byte)) & 0xffn);
  } else if (value.kind === 'global' || value.kind === 'expression')
    addresses.set(offset, addressText(value, names, variable));
}

/** Returns an address in an initializer: `generic(name)+offset`, or the name of a function. */
function addressText(value: Value, names: ModuleNames, variable: GlobalVariable): string {
  if (value.kind === 'global') {
    const name = names.textOf(value.name);
    return names.functions.has(value.name) ? name : `generic(${name})`;
  }
  const [operand, ...indices] = value.kind === 'expression' ? value.operands : [];
  if (value.kind === 'expression' && operand !== undefined) {
    if (value.op === 'addrspacecast' || value.op === 'ptrtoint') return addressText(operand, names, variable);
    const offset = value.op === 'getelementptr' && value.element ? constantOffset(value.element, indices) : undefined;
    if (offset !== undefined) return `${addressText(operand, names, variable)}${offset === 0 ? '' : `+${offset}`}`;
  }
  throw new SyntaxFailure(llvmDiagnostics.unsupported(variable.span, 'this initializer'));
}
