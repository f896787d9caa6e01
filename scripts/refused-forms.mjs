// Finds the forms of a row that parse and that the reference runs, but that the compiler rejects.
// Needs a build.

const dist = (file) => import(new URL(`../dist/${file}`, import.meta.url).href);
const { parsePtx, planFor, translate } = await dist('index.js');
const { patternOf } = await dist('isa/match.js');

const float = { mode: 'exact', denormals: 'flushed', fma: 'fused', contracts: false, div: 'approx', sqrt: 'approx' };
const spaces = ['global', 'shared', 'local'];

/** Returns every choice of the modifiers that determine the access. */
function choices(row) {
  let list = [{}];
  for (const slot of ['space', 'op', 'type', 'vec']) {
    const values = row.where?.[slot];
    if (!values) continue;
    const optional = row.syntax.includes(`{.${slot}}`);
    const taken = slot === 'space' ? values.filter((value) => spaces.includes(value)) : values;
    const all = optional && slot !== 'space' && slot !== 'type' ? [undefined, ...taken] : taken;
    list = list.flatMap((choice) => all.map((value) => ({ ...choice, [slot]: value })));
  }
  return list;
}

function register(type, index) {
  if (type === 'pred') return `%p${index}`;
  if (type === 'f32') return `%f${index}`;
  if (type === 'f64') return `%fd${index}`;
  const width = Number(/\d+/.exec(type)?.[0] ?? 32) * (type.includes('x2') ? 2 : 1);
  return width === 128 ? `%rq${index}` : width === 64 ? `%rd${index}` : width === 32 ? `%r${index}` : `%h${index}`;
}

function instruction(row, choice) {
  const { word, parts, groups } = patternOf(row);
  const modifiers = parts.flatMap(({ name, slot, optional, values }) => {
    if (!slot) return optional ? [] : [name];
    const value = choice[name];
    return value === undefined ? (optional ? [] : [values[0]]) : [value];
  });
  const typeOf = (type) => (type.startsWith('.') ? (choice[type.slice(1)] ?? 'b32') : type);
  const wide = { v2: 2, v4: 4, v8: 8 }[choice.vec] ?? 1;
  const operands = groups
    .filter(({ optional, first }) => !optional || (choice.op === 'cas' && first.name === 'c'))
    .map(({ first }, index) => {
      if (first.type === 'address')
        return choice.space === 'global' || !choice.space ? '[%rd9]' : `[${choice.space}_memory]`;
      const one = (part) => register(typeOf(first.type), 4 * index + part);
      return wide > 1 ? `{${Array.from({ length: wide }, (_, part) => one(part)).join(', ')}}` : one(0);
    });
  return { opcode: [word, ...modifiers].join('.'), text: `${[word, ...modifiers].join('.')} ${operands.join(', ')};` };
}

/**
 * The number of forms in one kernel. They share helper functions, which makes translation faster.
 */
const kernelForms = 64;

function kernelOf(texts) {
  return `.version 9.0
.target sm_100a
.address_size 64
.visible .entry k(.param .u64 p)
{
  .reg .pred %p<32>; .reg .b16 %h<32>; .reg .b32 %r<32>; .reg .b64 %rd<32>; .reg .f32 %f<32>; .reg .f64 %fd<32>; .reg .b128 %rq<32>;
  .shared .align 32 .b8 shared_memory[64]; .local .align 32 .b8 local_memory[64];
  ld.param.u64 %rd9, [p]; cvta.to.global.u64 %rd9, %rd9;
  ${texts.join('\n  ')}
  st.global.u32 [%rd9+64], %r0; st.global.u64 [%rd9+72], %rd0;
  ret;
}
`;
}

/** Returns the forms that parse. `red.inc.f32` does not parse, so it is not a form. */
function parsedOf(forms) {
  const text = kernelOf(forms.map((form) => form.text));
  const { diagnostics } = parsePtx(text);
  const lines = text.split('\n');
  const wrong = new Set(
    diagnostics
      .filter(({ severity }) => severity === 'error')
      .map(({ span }) => lines[text.slice(0, span.start).split('\n').length - 1].trim()),
  );
  const rest = forms.filter((form) => !wrong.has(form.text));
  // An error may hide others.
  return rest.length === forms.length ? forms : parsedOf(rest);
}

/** Returns the forms that the compiler rejects, by bisection, because most kernels have none. */
function refusedOf(forms) {
  if (forms.length === 0) return [];
  const { module, diagnostics } = parsePtx(kernelOf(forms.map(({ text }) => text)));
  if (!module) throw new Error(diagnostics[0]?.message);
  if (translate(module, { block: [32, 1, 1], plan: planFor(32), float }).program) return [];
  if (forms.length === 1) return forms;
  const half = Math.ceil(forms.length / 2);
  return [...refusedOf(forms.slice(0, half)), ...refusedOf(forms.slice(half))];
}

/**
 * Returns the opcodes of a row that the compiler rejects. Returns an empty list for a row that is
 * neither an atomic nor a memory access, or that has no types.
 */
export function refusedForms(row) {
  if (!['memory', 'atomic'].includes(row.kind) || !row.where?.type) return [];
  const forms = choices(row).map((choice) => instruction(row, choice));
  const kernels = Array.from({ length: Math.ceil(forms.length / kernelForms) }, (_, at) =>
    forms.slice(at * kernelForms, (at + 1) * kernelForms),
  );
  return kernels
    .map(parsedOf)
    .flatMap(refusedOf)
    .map(({ opcode }) => opcode);
}
