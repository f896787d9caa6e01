// Random CUDA C++ for the comparison with LLVM: functions and a kernel without undefined behavior.

const integers = ['i8', 'u8', 'i16', 'u16', 'i32', 'u32', 'i64', 'u64', 'i128', 'u128', 'bool'];
const floats = ['float', 'double', 'half'];
const scalars = [...integers, ...floats];
const vectors = ['int2v', 'int3v', 'int4v', 'char4v', 'char8v', 'short3v', 'float2v', 'float4v', 'double2v'];
const lanes = { int2v: 2, int3v: 3, int4v: 4, char4v: 4, char8v: 8, short3v: 3, float2v: 2, float4v: 4, double2v: 2 };
const element = (type) =>
  ({ int: 'i32', char: 'i8', short: 'i16', float: 'float', double: 'double' })[/^[a-z]+/.exec(type)[0]];
const bitsOf = { i8: 8, u8: 8, i16: 16, u16: 16, i32: 32, u32: 32, i64: 64, u64: 64, i128: 128, u128: 128, bool: 1 };

/** The functions before each kernel. They need `-fwrapv`, so that sums of signed integers wrap. */
const prelude = `
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
typedef signed char i8; typedef unsigned char u8; typedef short i16; typedef unsigned short u16;
typedef int i32; typedef unsigned u32; typedef long long i64; typedef unsigned long long u64;
typedef __int128 i128; typedef unsigned __int128 u128; typedef _Float16 half;
typedef int int2v __attribute__((ext_vector_type(2))); typedef int int3v __attribute__((ext_vector_type(3)));
typedef int int4v __attribute__((ext_vector_type(4))); typedef i8 char4v __attribute__((ext_vector_type(4)));
typedef i8 char8v __attribute__((ext_vector_type(8))); typedef short short3v __attribute__((ext_vector_type(3)));
typedef float float2v __attribute__((ext_vector_type(2))); typedef float float4v __attribute__((ext_vector_type(4)));
typedef double double2v __attribute__((ext_vector_type(2)));
template <class T> __device__ T quotient(T a, T b) { return b == 0 || b == (T)-1 ? a : a / b; }
template <class T> __device__ T rest(T a, T b) { return b == 0 || b == (T)-1 ? b : a % b; }
template <class T, class F> __device__ T whole(F a, F limit) { return a > -limit && a < limit ? (T)a : (T)1; }
__device__ u64 number(float a) { return a != a ? 0x7fc00000u : __builtin_bit_cast(u32, a); }
__device__ u64 number(double a) { return a != a ? 0x7ff8ull << 48 : __builtin_bit_cast(u64, a); }
__device__ u64 number(half a) { return a != a ? 0x7e00u : __builtin_bit_cast(u16, a); }
template <class T> __device__ u64 number(T a) { return sizeof(T) > 8 ? (u64)a ^ (u64)(a >> (sizeof(T) > 8 ? 64 : 0)) : (u64)a; }
`;

/**
 * Returns the text of a CUDA file with one kernel `k(const u64 *in, u64 *out)`. Each of 32 threads
 * reads up to 64 words and writes 8.
 */
export function randomKernel(rng) {
  return new Generator(rng).file();
}

class Generator {
  constructor(rng) {
    this.rng = rng;
    this.structs = [];
    this.functions = [];
    this.names = 0;
    this.hasFloats = rng.chance(0.5);
    this.hasVectors = rng.chance(0.4);
    this.scalars = this.hasFloats ? scalars : integers;
  }

  file() {
    const { rng } = this;
    const structs = Array.from({ length: rng.below(3) }, () => this.struct());
    const tables = Array.from({ length: 1 + rng.below(2) }, (_, index) => this.table(index));
    const functions = Array.from({ length: rng.below(4) }, () => this.function());
    return [prelude, ...structs, ...tables, ...functions, this.kernel()].join('\n');
  }

  name(prefix) {
    return `${prefix}${this.names++}`;
  }

  type() {
    return this.rng.pick(this.scalars);
  }

  struct() {
    const { rng } = this;
    const name = this.name('S');
    const fields = Array.from({ length: 1 + rng.below(4) }, () => {
      const nested = this.structs.length > 0 && rng.chance(0.2);
      return { name: this.name('f'), type: nested ? rng.pick(this.structs).name : this.type(), nested };
    });
    const bits = rng.chance(0.3)
      ? [{ name: this.name('b'), type: 'u32', nested: false, width: 1 + rng.below(31) }]
      : [];
    this.structs.push({ name, fields: [...fields, ...bits] });
    const lines = [
      ...fields.map((field) => `${field.type} ${field.name};`),
      ...bits.map((bit) => `u32 ${bit.name} : ${bit.width};`),
    ];
    return `struct ${rng.chance(0.15) ? '__attribute__((packed)) ' : ''}${name} { ${lines.join(' ')} };`;
  }

  table(index) {
    const { rng } = this;
    const type = rng.pick(['i8', 'u16', 'i32', 'u64', 'float']);
    const values = Array.from({ length: 8 }, () => `(${type})${this.word()}`);
    return `${rng.pick(['__constant__', '__device__', '__constant__ const'])} ${type} table${index}[8] = {${values.join(', ')}};`;
  }

  word() {
    const { rng } = this;
    const edge = rng.pick([
      '0',
      '1',
      '2',
      '127',
      '128',
      '255',
      '65535',
      '2147483647',
      '2147483648u',
      '0xffffffffffffffffull',
    ]);
    return rng.chance(0.5) ? edge : `${rng.u32() >>> rng.below(32)}u`;
  }

  literal(type) {
    const { rng } = this;
    if (floats.includes(type)) return `(${type})${rng.pick(['0.0', '1.0', '-2.5', '0.125', '1e3', '3.0', '-0.0'])}`;
    return type === 'bool' ? rng.pick(['true', 'false']) : `(${type})${this.word()}`;
  }

  function() {
    const { rng } = this;
    const returned = rng.chance(0.2) && this.structs.length > 0 ? rng.pick(this.structs).name : this.type();
    const params = Array.from({ length: 1 + rng.below(4) }, () => ({ name: this.name('p'), type: this.type() }));
    const struct = this.structs.length > 0 && rng.chance(0.4) ? rng.pick(this.structs) : undefined;
    const name = this.name('fn');
    const pointer = rng.chance(0.4) ? { name: this.name('q'), type: this.type() } : undefined;
    const locals = [
      ...params,
      ...(struct === undefined ? [] : this.places(struct, 's')),
      ...(pointer === undefined ? [] : [{ name: `(*${pointer.name})`, type: pointer.type }]),
    ];
    const body = this.block(locals, 2, 3);
    const list = [
      ...params.map((param) => `${param.type} ${param.name}`),
      ...(struct === undefined ? [] : [`${struct.name} s`]),
      ...(pointer === undefined ? [] : [`${pointer.type} *${pointer.name}`]),
    ];
    const own = this.structs.find((item) => item.name === returned);
    const result =
      own === undefined
        ? `return ${this.convert(this.expression(locals, 3), returned)};`
        : this.returnStruct(own, locals);
    const inline = rng.pick(['__attribute__((noinline))', '__attribute__((noinline))', 'static inline']);
    this.functions.push({ name, params, struct, pointer, returned, isStruct: own !== undefined });
    return `__device__ ${inline} ${returned} ${name}(${list.join(', ')}) {\n${body}\n  ${result}\n}`;
  }

  returnStruct(struct, locals) {
    const assigned = this.places(struct, 'r').map(
      (place) => `${place.name} = ${this.convert(this.expression(locals, 2), place.type)};`,
    );
    return `${struct.name} r = {}; ${assigned.join(' ')} return r;`;
  }

  /** Returns the scalar fields of a variable of a struct. */
  places(struct, variable) {
    return struct.fields.flatMap((field) =>
      field.nested
        ? this.places(
            this.structs.find(({ name }) => name === field.type),
            `${variable}.${field.name}`,
          )
        : [{ name: `${variable}.${field.name}`, type: field.type, isBits: field.width !== undefined }],
    );
  }

  kernel() {
    const { rng } = this;
    const locals = [];
    const lines = [
      '  u32 tid = __nvvm_read_ptx_sreg_tid_x();',
      '  const u64 *mine = in + (tid & 31);',
      ...Array.from({ length: 4 + rng.below(4) }, (_, index) => {
        const local = { name: this.name('v'), type: this.type() };
        locals.push(local);
        const word = `mine[${index * 4}]`;
        const narrow = floats.includes(local.type)
          ? `(${local.type})(i32)(${word} >> ${rng.below(30)})`
          : `(${local.type})${word}`;
        return `  ${local.type} ${local.name} = ${narrow};`;
      }),
    ];
    if (rng.chance(0.5)) lines.push(...this.sharedArray(locals));
    if (this.hasVectors) lines.push(...this.vectorStatements(locals));
    lines.push(this.block(locals, 3, 6));
    const outputs = Array.from({ length: 8 }, (_, index) => {
      const expression = index < locals.length ? locals[index] : this.expression(locals, 3);
      return `  out[tid * 8 + ${index}] = number(${expression.text ?? expression.name});`;
    });
    return `extern "C" __global__ void k(const u64 *in, u64 *out) {\n${lines.join('\n')}\n${outputs.join('\n')}\n}`;
  }

  /**
   * Returns statements that use a shared array. Each thread uses only its own elements, so that the
   * order of the threads does not affect results.
   */
  sharedArray(locals) {
    const type = this.type();
    const name = this.name('shared');
    const at = `${name}[tid & 31][1]`;
    const line = `  __shared__ ${type} ${name}[32][2]; ${name}[tid & 31][0] = ${this.literal(type)}; ${at} = ${this.literal(type)};`;
    locals.push({ name: at, type });
    return [line];
  }

  vectorStatements(locals) {
    const { rng } = this;
    const names = [];
    const lines = [];
    for (let count = 2 + rng.below(4); count > 0; count--) {
      const type = rng.pick(vectors);
      const name = this.name('w');
      const same = names.filter((other) => other.type === type);
      const parts = Array.from({ length: lanes[type] }, () => this.convert(this.expression(locals, 1), element(type)));
      const isFloat = floats.includes(element(type));
      const operation = rng.pick(isFloat ? ['+', '-', '*'] : ['+', '-', '*', '&', '^']);
      const right = same.length > 0 ? rng.pick(same).name : `${name}a`;
      lines.push(`  ${type} ${name}a = {${parts.join(', ')}}; ${type} ${name} = ${name}a ${operation} ${right};`);
      if (rng.chance(0.5)) {
        const index = `((u32)${this.convert(this.expression(locals, 1), 'u32')} % ${lanes[type]}u)`;
        lines.push(`  ${name}[${index}] = ${this.convert(this.expression(locals, 1), element(type))};`);
      }
      if (rng.chance(0.4))
        lines.push(`  ${name} = ${name}.${rng.pick(['yx', 'xx'])}${['', '', '', 'y', 'xy'][lanes[type]] ?? 'xyxyxy'};`);
      if (rng.chance(0.3)) lines.push(`  ${name} = (${name} < ${name}a) ? ${name} : ${name}a;`);
      names.push({ name, type });
      locals.push({ name: `${name}[${rng.below(lanes[type])}]`, type: element(type) });
    }
    return lines;
  }

  block(locals, depth, count) {
    const own = [...locals];
    return Array.from({ length: 1 + this.rng.below(count) }, () => this.statement(own, depth)).join('\n');
  }

  statement(locals, depth) {
    const { rng } = this;
    const choice = rng.below(depth > 0 ? 9 : 4);
    const writable = rng.pick(locals);
    const assign = `${writable.name} = ${this.convert(this.expression(locals, 3), writable.type)};`;
    switch (choice) {
      case 4:
        return `  if (${this.condition(locals)}) {\n${this.block(locals, depth - 1, 3)}\n  } else {\n${this.block(locals, depth - 1, 2)}\n  }`;
      case 5: {
        const index = this.name('n');
        const limit = rng.chance(0.5)
          ? `${1 + rng.below(6)}`
          : `(${this.convert(this.expression(locals, 1), 'u32')} & 7)`;
        const leave = rng.chance(0.3) ? `    if (${this.condition(locals)}) ${rng.pick(['break', 'continue'])};\n` : '';
        return `  for (u32 ${index} = 0; ${index} < ${limit}; ${index}++) {\n${leave}${this.block(
          [...locals, { name: `(u32)(${index})`, type: 'u32', constant: true }].filter((local) => !local.constant),
          depth - 1,
          3,
        )}\n  }`;
      }
      case 6: {
        const cases = Array.from({ length: 2 + rng.below(5) }, (_, index) => {
          const key = rng.chance(0.7) ? index : index * 7 + 3;
          return `  case ${key}: ${this.statement(locals, 0).trim()}${rng.chance(0.7) ? ' break;' : ' [[fallthrough]];'}`;
        });
        const keys = new Set();
        const unique = cases.filter((text) => {
          const key = /case (\d+)/.exec(text)[1];
          return !keys.has(key) && keys.add(key);
        });
        return `  switch (${this.convert(this.expression(locals, 2), rng.pick(['i32', 'u8', 'u64']))} & 31) {\n${unique.join('\n')}\n  default: ${this.statement(locals, 0).trim()}\n  }`;
      }
      case 7: {
        const type = this.type();
        const name = this.name('a');
        const parts = Array.from({ length: 4 }, () => this.convert(this.expression(locals, 1), type));
        const index = `${this.convert(this.expression(locals, 1), 'u32')} & 3`;
        return `  { ${type} ${name}[4] = {${parts.join(', ')}}; ${name}[${index}] = ${this.convert(this.expression(locals, 2), type)}; ${writable.name} = ${this.convert({ text: `${name}[${this.convert(this.expression(locals, 1), 'u32')} & 3]`, type }, writable.type)}; }`;
      }
      case 8:
        return this.callStatement(locals) ?? `  ${assign}`;
      default:
        return `  ${assign}`;
    }
  }

  callStatement(locals) {
    const { rng } = this;
    if (this.functions.length === 0) return undefined;
    const callee = rng.pick(this.functions);
    const writable = rng.pick(locals);
    const lines = [];
    const args = callee.params.map((param) => this.convert(this.expression(locals, 2), param.type));
    if (callee.struct !== undefined) {
      const name = this.name('t');
      lines.push(`${callee.struct.name} ${name} = {};`);
      for (const place of this.places(callee.struct, name))
        lines.push(`${place.name} = ${this.convert(this.expression(locals, 1), place.type)};`);
      args.push(name);
    }
    if (callee.pointer !== undefined) {
      const name = this.name('t');
      lines.push(`${callee.pointer.type} ${name} = ${this.convert(this.expression(locals, 1), callee.pointer.type)};`);
      args.push(`&${name}`);
    }
    const call = `${callee.name}(${args.join(', ')})`;
    if (callee.isStruct) {
      const name = this.name('t');
      const struct = this.structs.find((item) => item.name === callee.returned);
      const [place] = this.places(struct, name);
      lines.push(
        `${callee.returned} ${name} = ${call}; ${writable.name} = ${this.convert({ text: place.name, type: place.type }, writable.type)};`,
      );
    } else lines.push(`${writable.name} = ${this.convert({ text: call, type: callee.returned }, writable.type)};`);
    return `  { ${lines.join(' ')} }`;
  }

  condition(locals) {
    return this.convert(this.comparison(locals, 2), 'bool');
  }

  comparison(locals, depth) {
    const type = this.type();
    const [a, b] = [this.expression(locals, depth), this.expression(locals, depth)];
    const relation = this.rng.pick(['<', '<=', '>', '>=', '==', '!=']);
    return { text: `(${this.convert(a, type)} ${relation} ${this.convert(b, type)})`, type: 'bool' };
  }

  /** Returns an expression of a random type. */
  expression(locals, depth) {
    const { rng } = this;
    if (depth === 0 || rng.chance(0.2)) {
      if (rng.chance(0.25)) {
        const type = this.type();
        return { text: this.literal(type), type };
      }
      const local = rng.pick(locals);
      return { text: local.name, type: local.type };
    }
    const type = this.type();
    const operand = () => this.convert(this.expression(locals, depth - 1), type);
    if (rng.chance(0.12)) return this.comparison(locals, depth - 1);
    if (rng.chance(0.1)) return { text: `(${this.condition(locals)} ? ${operand()} : ${operand()})`, type };
    if (floats.includes(type)) {
      const operation = rng.pick(['+', '-', '*', '/', 'neg', 'abs', 'min', 'sqrt', 'floor', 'fma']);
      return { text: `((${type})${this.floatOperation(type, operation, operand)})`, type };
    }
    if (type === 'bool') return { text: `(${operand()} ${rng.pick(['&&', '||', '!=', '=='])} ${operand()})`, type };
    return { text: `((${type})${this.integerOperation(type, operand)})`, type };
  }

  floatOperation(type, operation, operand) {
    const suffix = { float: 'f', double: '', half: 'f16' }[type];
    switch (operation) {
      case 'neg':
        return `(-${operand()})`;
      case 'abs':
        return `__builtin_fabs${suffix}(${operand()})`;
      case 'min':
        return `__builtin_${this.rng.pick(['fmin', 'fmax'])}${suffix}(${operand()}, ${operand()})`;
      case 'sqrt':
        return type === 'half' ? `(${operand()} + ${operand()})` : `__builtin_sqrt${suffix}(${operand()})`;
      case 'floor':
        return `__builtin_${this.rng.pick(['floor', 'ceil', 'trunc', 'rint'])}${suffix}(${operand()})`;
      case 'fma':
        return `__builtin_fma${suffix}(${operand()}, ${operand()}, ${operand()})`;
      default:
        return `((${type})(${operand()} ${operation} ${operand()}))`;
    }
  }

  integerOperation(type, operand) {
    const { rng } = this;
    const bits = bitsOf[type];
    const unsigned = `u${bits}`;
    const choices = [
      '+',
      '-',
      '*',
      '&',
      '|',
      '^',
      '~',
      'neg',
      '/',
      '%',
      '<<',
      '>>',
      'rotate',
      'popcount',
      'bits',
      'extreme',
      'mulhi',
      'table',
      'overflow',
    ];
    const operation = rng.pick(choices);
    switch (operation) {
      case '~':
        return `(~${operand()})`;
      case 'neg':
        return `(-${operand()})`;
      case '/':
        return `quotient<${type}>(${operand()}, ${operand()})`;
      case '%':
        return `rest<${type}>(${operand()}, ${operand()})`;
      case '<<':
      case '>>':
        return `(${operand()} ${operation} (${rng.chance(0.4) ? rng.below(bits) : `((u32)${operand()} & ${bits - 1})`}))`;
      case 'rotate':
        return bits > 64
          ? `(${operand()} ^ ${operand()})`
          : `__builtin_rotate${rng.pick(['left', 'right'])}${bits}((${unsigned})${operand()}, (${unsigned})${operand()})`;
      case 'popcount':
        return `__builtin_popcountll((u64)${operand()})`;
      case 'bits':
        return bits > 64
          ? `(~${operand()})`
          : rng.pick([
              `__builtin_bitreverse${bits}((${unsigned})${operand()})`,
              bits === 8 ? `(~${operand()})` : `__builtin_bswap${bits}((${unsigned})${operand()})`,
              `__builtin_clzll((u64)${operand()} | 1)`,
              `__builtin_ctzll((u64)${operand()} | 0x8000000000000000ull)`,
            ]);
      case 'extreme':
        return `({ ${type} x = ${operand()}, y = ${operand()}; x ${rng.pick(['<', '>'])} y ? x : y; })`;
      case 'mulhi':
        return bits > 64
          ? `(${operand()} * ${operand()})`
          : `(((${type.startsWith('i') ? 'i128' : 'u128'})${operand()} * ${operand()}) >> ${bits})`;
      case 'table':
        return `whole<${bits > 64 ? 'i64' : type}>((double)table0[(u32)${operand()} & 7], ${type === 'bool' ? '1.0' : '100.0'})`;
      case 'overflow':
        return bits > 64
          ? `(${operand()} - ${operand()})`
          : `({ ${type} r; bool o = __builtin_${rng.pick(['add', 'sub', 'mul'])}_overflow(${operand()}, ${operand()}, &r); (${type})(r ^ o); })`;
      default:
        return `(${operand()} ${operation} ${operand()})`;
    }
  }

  /**
   * Converts an expression to a type. Floats are limited to the range of the integer type, because
   * the result of a conversion is undefined outside of this range.
   */
  convert(expression, type) {
    const { text, type: from } = expression;
    if (from === type) return text;
    // LLVM's back end converts between floats and 128-bit integers by calling functions that do not
    // exist in PTX.
    const isWide = (name) => bitsOf[name] === 128;
    if ((floats.includes(from) && isWide(type)) || (isWide(from) && floats.includes(type)))
      return `((${type})${this.convert(expression, 'i64')})`;
    if (floats.includes(from) && integers.includes(type) && type !== 'bool') {
      const limit = { i8: '120', u8: '120', i16: '30000', u16: '30000' }[type] ?? (from === 'half' ? '60000' : '2e9');
      const isUnsigned = type.startsWith('u');
      return `whole<${type}>(${isUnsigned ? `(${from})__builtin_fabs((double)${text})` : text}, (${from})${limit})`;
    }
    return `((${type})${text})`;
  }
}
