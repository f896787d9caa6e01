// PTX names to WGSL identifiers: `%rd5` is rd5, `$L__BB0_3` is L_BB0_3; words WGSL keeps for itself get a final underscore.

/// Keywords and reserved words: no WGSL identifier may be one.
export const reservedWords: ReadonlySet<string> = new Set(
  (
    'alias break case const const_assert continue continuing default diagnostic discard else enable false fn for if let loop override requires return struct switch true var while ' +
    'NULL Self abstract active alignas alignof as asm asm_fragment async attribute auto await become cast catch class co_await co_return co_yield coherent column_major common ' +
    'compile compile_fragment concept const_cast consteval constexpr constinit crate debugger decltype delete demote demote_to_helper do dynamic_cast enum explicit export extends extern external ' +
    'fallthrough filter final finally friend from fxgroup get goto groupshared highp impl implements import inline instanceof interface layout lowp macro macro_rules match mediump meta mod module move mut mutable ' +
    'namespace new nil noexcept noinline nointerpolation non_coherent noncoherent noperspective null nullptr of operator package packoffset partial pass patch pixelfragment precise precision premerge priv protected pub public ' +
    'readonly ref regardless register reinterpret_cast require resource restrict self set shared sizeof smooth snorm static static_assert static_cast std subroutine super target template this thread_local throw trait try type ' +
    'typedef typeid typename typeof union unless unorm unsafe unsized use using varying virtual volatile wgsl where with writeonly yield'
  ).split(' '),
);

/// Predeclared names that programs use.
const predeclared: ReadonlySet<string> = new Set(
  'array atomic bool f16 f32 i32 u32 mat2x2 ptr sampler vec2 vec3 vec4 main select bitcast min max abs all any clamp dot cross exp exp2 log log2 pow sqrt sin cos tan tanh floor ceil round sign step mix fma fract length'.split(
    ' ',
  ),
);

/// Hands out identifiers, each once.
export class Names {
  private readonly taken = new Set<string>();
  private readonly given = new Map<string, string>();
  /// The next number to try after a name, so that the thousandth `r1` is found as fast as the second.
  private readonly counts = new Map<string, number>();

  constructor(taken: Iterable<string> = []) {
    for (const name of taken) this.taken.add(name);
  }

  /// The identifier of a PTX name, or of something else that is called `hint`; the same each time.
  of(ptxName: string, hint = ptxName): string {
    const known = this.given.get(ptxName);
    if (known !== undefined) return known;
    // Ranges of one register (`%r1$2`) share its plain name as far as they can.
    const name = this.fresh(hint.replace(/\$\d+$/, ''));
    this.given.set(ptxName, name);
    return name;
  }

  /// An identifier like `hint` that is not in use yet.
  fresh(hint: string): string {
    const base = identifier(hint);
    let name = base;
    let count = this.counts.get(base) ?? 2;
    while (this.taken.has(name)) name = `${base}_${count++}`;
    this.counts.set(base, count);
    this.taken.add(name);
    return name;
  }
}

function identifier(name: string): string {
  const plain = name
    .replace(/^%/, '')
    .replace(/[^A-Za-z0-9_]+/g, '_')
    .replace(/__+/g, '_')
    .replace(/^_+/, '');
  const word = plain === '' || /^[0-9]/.test(plain) ? `v${plain}` : plain;
  return reservedWords.has(word) || predeclared.has(word) ? `${word}_` : word;
}
