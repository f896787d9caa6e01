// Demangles the names of C++ functions. It supports the part of the Itanium C++ ABI that the names
// of kernels and device functions use
// (https://itanium-cxx-abi.github.io/cxx-abi/abi.html#mangling), without expressions and lambdas.

export interface DemangledName {
  /** The whole name, such as `ns::saxpy<float, 3>(int, float, float const*)`. */
  readonly text: string;
  /** `ns::saxpy<float, 3>` */
  readonly name: string;
  /** `ns::saxpy` */
  readonly template: string;
  /** `saxpy` */
  readonly base: string;
  /**
   * The types of the parameters, such as `int`, `float`, `float const*`. A parameter pack is one
   * text.
   */
  readonly parameters: readonly string[];
}

/** Returns a text in which each mangled name is replaced by its C++ name. */
export const demangledText = (text: string): string => text.replace(/\b_Z\w+/g, (name) => demangle(name)?.text ?? name); // The name may use other parts of the ABI.

/**
 * Demangles a name. Returns undefined for a name that is not mangled, or that uses other parts of
 * the ABI.
 */
export function demangle(mangled: string): DemangledName | undefined {
  if (!mangled.startsWith('_Z') || mangled.length > maxLength) return undefined;
  try {
    return new Demangler(mangled).encoding();
  } catch (error) {
    if (error instanceof NotDemangled) return undefined;
    throw error;
  }
}

/**
 * The maximum lengths of a mangled name and of a text. Template arguments may repeat earlier
 * components, so the text could grow exponentially without these limits.
 */
const maxLength = 4096;
const maxText = 1 << 16;
const maxDepth = 100;

class NotDemangled extends Error {}

const builtins: Readonly<Record<string, string>> = {
  v: 'void', w: 'wchar_t', b: 'bool', c: 'char', a: 'signed char', h: 'unsigned char', s: 'short', t: 'unsigned short', i: 'int',
  j: 'unsigned int', l: 'long', m: 'unsigned long', x: 'long long', y: 'unsigned long long', n: '__int128', o: 'unsigned __int128',
  f: 'float', d: 'double', e: 'long double', g: '__float128', z: '...',
}; // biome-ignore format: a table
const extended: Readonly<Record<string, string>> = { Dh: 'half', DF16_: '_Float16', DF16b: '__bf16', Di: 'char32_t', Ds: 'char16_t', Du: 'char8_t', Dn: 'std::nullptr_t', Da: 'auto' }; // biome-ignore format: a table
const operators: Readonly<Record<string, string>> = {
  nw: 'new', dl: 'delete', ps: '+', ng: '-', ad: '&', de: '*', co: '~', pl: '+', mi: '-', ml: '*', dv: '/', rm: '%', an: '&', or: '|',
  eo: '^', aS: '=', pL: '+=', mI: '-=', mL: '*=', dV: '/=', ls: '<<', rs: '>>', eq: '==', ne: '!=', lt: '<', gt: '>', le: '<=', ge: '>=',
  nt: '!', aa: '&&', oo: '||', pp: '++', mm: '--', cm: ',', cl: '()', ix: '[]', pt: '->',
}; // biome-ignore format: a table
const standard: Readonly<Record<string, string>> = { St: 'std', Sa: 'std::allocator', Sb: 'std::basic_string', Ss: 'std::string', Si: 'std::istream', So: 'std::ostream', Sd: 'std::iostream' }; // biome-ignore format: a table
const literalSuffixes: Readonly<Record<string, string>> = { i: '', j: 'u', l: 'l', m: 'ul', x: 'll', y: 'ull' };

/** A name that is being parsed. */
interface Name {
  readonly text: string;
  readonly template: string;
  readonly base: string;
  /**
   * Whether the name ends with template arguments. If so, the type of a function begins with its
   * result type.
   */
  readonly isTemplate: boolean;
}

class Demangler {
  readonly #text: string;
  #at = 2;
  #depth = 0;
  readonly #substitutions: string[] = [];
  #arguments: readonly string[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  encoding(): DemangledName {
    const name = withoutInternal(this.#name());
    if (name.isTemplate && !this.#atEnd) this.#type();
    const types: string[] = [];
    while (!this.#atEnd && this.#peek !== '.') types.push(this.#type());
    const parameters = types.filter((type) => type !== 'void' || types.length > 1);
    const { text, template, base } = name;
    const shown = types.length === 0 ? text : `${text}(${parameters.join(', ')})`;
    return { text: shown, name: text, template, base, parameters };
  }

  get #atEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  get #peek(): string {
    return this.#text.charAt(this.#at);
  }

  #isAt(text: string): boolean {
    return this.#text.startsWith(text, this.#at);
  }

  #accept(text: string): boolean {
    if (!this.#text.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #fail(): never {
    throw new NotDemangled();
  }

  #nested<T>(read: () => T): T {
    if (++this.#depth > maxDepth) this.#fail();
    const result = read();
    this.#depth--;
    return result;
  }

  /** Records a component that later substitutions may refer to. */
  #remember(text: string): string {
    if (text.length > maxText) this.#fail();
    this.#substitutions.push(text);
    return text;
  }

  #name(): Name {
    return this.#nested(() => {
      if (this.#accept('N')) return this.#nestedName();
      if (this.#accept('Z')) return this.#localName();
      if (this.#text.startsWith('S', this.#at) && !this.#text.startsWith('St', this.#at)) {
        const known = this.#substitution();
        return this.#peek === 'I' ? this.#withArguments(known, known, true) : plainName(known);
      }
      const scope = this.#accept('St') ? 'std::' : '';
      const base = this.#unqualified();
      const text = `${scope}${base}`;
      if (this.#peek !== 'I') return { text, template: text, base, isTemplate: false };
      this.#remember(text);
      return this.#withArguments(text, base, true);
    });
  }

  #withArguments(template: string, base: string, keeps: boolean): Name {
    const list = this.#templateArguments();
    if (keeps) this.#arguments = list;
    return { text: `${template}${argumentText(list)}`, template, base, isTemplate: true };
  }

  #nestedName(): Name {
    while (/^[rVK]$/.test(this.#peek)) this.#at++;
    this.#accept('R');
    let name: Name | undefined;
    while (!this.#accept('E')) {
      if (this.#atEnd) this.#fail();
      if (this.#peek === 'I') {
        if (name === undefined) this.#fail();
        name = this.#withArguments(name.text, name.base, true);
        if (!this.#isAt('E')) this.#remember(name.text);
        continue;
      }
      if (this.#peek === 'S') {
        name = plainName(this.#accept('St') ? 'std' : this.#substitution());
        continue;
      }
      if (this.#peek === 'T') {
        name = plainName(this.#remember(this.#parameter()));
        continue;
      }
      const base = this.#unqualified(name?.base);
      const text = name === undefined ? base : `${name.text}::${base}`;
      name = { text, template: text, base, isTemplate: false };
      // The whole name is not a component of itself.
      if (this.#peek !== 'E') this.#remember(text);
    }
    return name ?? this.#fail();
  }

  /** Parses `Z <function> E <entity>`, a name inside of a function. */
  #localName(): Name {
    const outer = this.#name();
    if (outer.isTemplate && this.#peek !== 'E') this.#type();
    while (!this.#accept('E')) {
      if (this.#atEnd) this.#fail();
      this.#type();
    }
    const inner = this.#name();
    return { ...inner, text: `${outer.text}::${inner.text}`, template: `${outer.text}::${inner.template}` };
  }

  /** Parses an unqualified name. `scope` is the class of a constructor or destructor. */
  #unqualified(scope?: string): string {
    this.#accept('L');
    const digits = /^\d+/.exec(this.#text.slice(this.#at, this.#at + 5))?.[0];
    if (digits !== undefined) {
      this.#at += digits.length;
      const length = Number(digits);
      const name = this.#text.slice(this.#at, this.#at + length);
      if (name.length !== length || length === 0) this.#fail();
      this.#at += length;
      return name.startsWith('_GLOBAL__N_') ? '(anonymous namespace)' : name;
    }
    if (scope !== undefined && /^[CD][0-3]/.test(this.#text.slice(this.#at, this.#at + 2))) {
      const isDestructor = this.#peek === 'D';
      this.#at += 2;
      return `${isDestructor ? '~' : ''}${scope}`;
    }
    const symbol = operators[this.#text.slice(this.#at, this.#at + 2)] ?? this.#fail();
    this.#at += 2;
    return `operator${/^\w/.test(symbol) ? ' ' : ''}${symbol}`;
  }

  /** Parses a substitution: `S_`, `S0_`, …, `Sa`, … */
  #substitution(): string {
    const short = standard[this.#text.slice(this.#at, this.#at + 2)];
    if (short !== undefined) {
      this.#at += 2;
      return short;
    }
    return this.#substitutions[this.#number('S', 36)] ?? this.#fail();
  }

  /** `T_`, `T0_`, … */
  #parameter(): string {
    return this.#arguments[this.#number('T', 10)] ?? this.#fail();
  }

  #number(letter: string, radix: number): number {
    const match = new RegExp(`^${letter}([0-9A-Z]*)_`).exec(this.#text.slice(this.#at, this.#at + 12)) ?? this.#fail();
    this.#at += match[0].length;
    const [, digits = ''] = match;
    return digits === '' ? 0 : Number.parseInt(digits, radix) + 1;
  }

  #templateArguments(): string[] {
    if (!this.#accept('I')) this.#fail();
    const list: string[] = [];
    while (!this.#accept('E')) {
      if (this.#atEnd) this.#fail();
      // `T_` refers to all arguments of a pack.
      if (this.#peek === 'J') list.push(this.#pack().join(', '));
      else list.push(this.#templateArgument());
    }
    return list;
  }

  #pack(): string[] {
    this.#at++;
    const list: string[] = [];
    while (!this.#accept('E')) {
      if (this.#atEnd) this.#fail();
      list.push(this.#templateArgument());
    }
    return list;
  }

  #templateArgument(): string {
    return this.#nested(() => (this.#accept('L') ? this.#literal() : this.#type()));
  }

  #literal(): string {
    if (this.#accept('_Z')) {
      const { text } = this.#name();
      while (!this.#accept('E')) {
        if (this.#atEnd) this.#fail();
        this.#type();
      }
      return text;
    }
    const code = this.#peek;
    const type = this.#type();
    const [whole, sign = '', digits = ''] = /^(n?)([0-9a-f]*)E/.exec(this.#text.slice(this.#at)) ?? this.#fail();
    this.#at += whole.length;
    const value = `${sign === '' ? '' : '-'}${digits}`;
    if (code === 'b') return digits === '0' ? 'false' : 'true';
    const suffix = literalSuffixes[code];
    return suffix === undefined ? `(${type})${value}` : `${value}${suffix}`;
  }

  #type(): string {
    return this.#nested(() => this.#typeOnce());
  }

  #typeOnce(): string {
    const code = this.#peek;
    const simple = builtins[code];
    if (simple !== undefined) {
      this.#at++;
      return simple;
    }
    for (const [word, name] of Object.entries(extended)) if (this.#accept(word)) return name;
    if (this.#accept('Dp')) return this.#type();
    // All qualifiers together are one component.
    const qualifiers = /^r?V?K?/.exec(this.#text.slice(this.#at, this.#at + 3))?.[0];
    if (qualifiers) return this.#modified(qualifierText(qualifiers), qualifiers.length);
    switch (code) {
      case 'P':
        return this.#modified('*');
      case 'R':
        return this.#modified('&');
      case 'O':
        return this.#modified('&&');
      case 'F':
        return this.#functionType();
      case 'A':
        return this.#arrayType();
      case 'T': {
        const text = this.#remember(this.#parameter());
        return this.#peek === 'I' ? this.#remember(`${text}${argumentText(this.#templateArguments())}`) : text;
      }
      case 'S':
        if (this.#text.startsWith('St', this.#at)) break;
        return this.#substituted();
      case 'u':
        this.#at++;
        return this.#remember(this.#unqualified());
    }
    const kept = this.#arguments;
    const { text } = this.#name();
    // The arguments of a class must not replace the arguments of the function.
    this.#arguments = kept;
    return this.#remember(text);
  }

  #substituted(): string {
    const text = this.#substitution();
    return this.#peek === 'I' ? this.#remember(`${text}${argumentText(this.#templateArguments())}`) : text;
  }

  #modified(suffix: string, length = 1): string {
    this.#at += length;
    const inner = this.#type();
    // Insert a pointer into `int (*)(float)`, or into a pointer to such a pointer.
    const hole = inner.indexOf('(*');
    const isPointer = /^[*&]/.test(suffix);
    if (hole >= 0) return this.#remember(`${inner.slice(0, hole + 2)}${suffix}${inner.slice(hole + 2)}`);
    const open = isPointer ? /(?: \[| \()/.exec(inner.includes('<') ? '' : inner)?.index : undefined;
    if (open === undefined) return this.#remember(`${inner}${suffix}`);
    return this.#remember(
      `${inner.slice(0, open)} (${suffix})${inner.slice(inner[open + 1] === '(' ? open + 1 : open)}`,
    );
  }

  #functionType(): string {
    this.#at++;
    this.#accept('Y');
    const result = this.#type();
    const parameters: string[] = [];
    while (!this.#accept('E')) {
      if (this.#atEnd) this.#fail();
      parameters.push(this.#type());
    }
    return this.#remember(`${result} (${parameters.filter((type) => type !== 'void').join(', ')})`);
  }

  #arrayType(): string {
    const [whole, count = ''] = /^A(\d*)_/.exec(this.#text.slice(this.#at)) ?? this.#fail();
    this.#at += whole.length;
    return this.#remember(`${this.#type()} [${count}]`);
  }
}

/** Removes the scope that nvcc adds to the static functions of a file. */
function withoutInternal({ text, template, ...name }: Name): Name {
  const short = (scoped: string): string => scoped.replace(/\b_INTERNAL_\w+::/g, '');
  return { ...name, text: short(text), template: short(template) };
}

const qualifierText = (codes: string): string =>
  [...codes]
    .reverse()
    .map((code) => (code === 'K' ? ' const' : code === 'V' ? ' volatile' : ' __restrict'))
    .join('');

/** Joins template arguments. The text of an empty pack is empty, and is omitted. */
const argumentText = (list: readonly string[]): string => `<${list.filter((text) => text !== '').join(', ')}>`;

const plainName = (text: string): Name => ({
  text,
  template: text,
  base: text.slice(text.lastIndexOf('::') + 1).replace(/^:/, ''),
  isTemplate: false,
});
