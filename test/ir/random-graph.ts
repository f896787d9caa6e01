// Kernels whose blocks jump anywhere, with guarded instructions on registers of all widths: hard
// cases for the construction of SSA form.

export const words = 8;

/** Returns a generator of numbers below a limit. */
export function generator(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const callees = `
.func (.param .align 8 .b8 both[16]) mix(.param .align 8 .b8 pair[16], .param .b32 narrow)
{
  .reg .b64 %rd<8>;
  .reg .b32 %r<4>;
  .reg .b16 %h<4>;
  .reg .pred %p;
  ld.param.u64 %rd1, [pair];
  ld.param.v2.u32 {%r1, %r2}, [pair+8];
  ld.param.s8 %h1, [narrow];
  cvt.s64.s16 %rd2, %h1;
  setp.lt.s64 %p, %rd1, %rd2;
  @%p bra SMALL;
  add.s64 %rd1, %rd1, %rd2;
  st.param.b64 [both], %rd1;
  st.param.b32 [both+8], %r2;
  st.param.b32 [both+12], %r1;
  ret;
SMALL:
  sub.s64 %rd1, %rd1, %rd2;
  st.param.b64 [both], %rd1;
  st.param.b32 [both+8], %r1;
  st.param.b32 [both+12], %r1;
  ret;
}
.func (.reg .b32 %sum) longer(.reg .b32 %x, .reg .b32 %y)
{
  .reg .pred %p;
  mov.b32 %sum, %x;
${Array.from({ length: 50 }, (_, index) => `  add.s32 %sum, %sum, ${index};\n  xor.b32 %sum, %sum, %y;`).join('\n')}
  setp.gt.s32 %p, %sum, 0;
  @%p ret;
  not.b32 %sum, %sum;
}
`;

/**
 * Returns a kernel that loads its registers from memory, walks through its blocks, and stores all
 * registers.
 */
export function randomGraph(seed: number): string {
  const random = generator(seed);
  const [r, rd, h] = [() => `%r${random(words)}`, () => `%rd${random(4)}`, () => `%h${random(3)}`];
  const p = () => `%p${random(4)}`;
  const lines: string[] = [];
  const guard = () => (random(3) === 0 ? `@${random(2) ? '!' : ''}${p()} ` : '');
  const instruction = () => {
    const forms: (() => string)[] = [
      () => `add.s32 ${r()}, ${r()}, ${r()};`,
      () => `mad.lo.s32 ${r()}, ${r()}, ${r()}, ${random(9)};`,
      () => `mul.wide.s32 ${rd()}, ${r()}, ${r()};`,
      () => `sub.s64 ${rd()}, ${rd()}, ${rd()};`,
      () => `cvt.u32.u64 ${r()}, ${rd()};`,
      () => `cvt.s64.s8 ${rd()}, ${r()};`,
      () => `cvt.u16.u32 ${h()}, ${r()};`,
      () => `cvt.s32.s16 ${r()}, ${h()};`,
      () => `mul.hi.s16 ${h()}, ${h()}, ${h()};`,
      () => `mov.b64 ${rd()}, {${r()}, ${r()}};`,
      () => `mov.b64 {${r()}, %f0}, ${rd()};`,
      () => `mov.b32 %f1, {${h()}, ${h()}};`,
      () => `mov.b32 ${r()}, %f${random(2)};`,
      () => `selp.b32 ${r()}, ${r()}, ${r()}, ${p()};`,
      () => `setp.lt.and.s32 ${p()}|${p()}, ${r()}, ${r()}, !${p()};`,
      () => `setp.hi.u32 ${p()}, ${r()}, ${r()};`,
      () => `xor.pred ${p()}, ${p()}, ${p()};`,
      () => `add.cc.u32 ${r()}, ${r()}, ${r()};`,
      () => `sub.cc.u32 ${r()}, ${r()}, ${r()};`,
      () => `addc.cc.u32 ${r()}, ${r()}, ${r()};`,
      () => `subc.cc.u32 ${r()}, ${r()}, ${r()};`,
      () => `div.u32 ${r()}, ${r()}, ${r()};`,
      () => `ld.global.s8 ${rd()}, [%in+${random(32)}];`,
      () => `ld.global.u16 ${r()}, [%in+${2 * random(16)}];`,
      () => `ld.global.v2.u32 {${r()}, ${r()}}, [%in+${8 * random(4)}];`,
      () => `st.global.u8 [%out+${random(32)}], ${rd()};`,
      () => `bfe.s32 ${r()}, ${r()}, ${random(40)}, ${random(40)};`,
      () =>
        `prmt.b32 ${r()}, ${r()}, ${r()}, 0x${random(0x7777)
          .toString(16)
          .replace(/[89a-f]/g, '3')};`,
    ];
    lines.push(`  ${guard()}${forms[random(forms.length)]?.()}`);
  };
  const call = () => {
    if (random(2)) {
      lines.push(`  ${guard()}call.uni (${r()}), longer, (${r()}, ${r()});`);
      return;
    }
    lines.push(`  { .param .align 8 .b8 given[16]; .param .b32 narrow; .param .align 8 .b8 taken[16];
    st.param.v2.u32 [given], {${r()}, ${r()}};
    st.param.b64 [given+8], ${rd()};
    st.param.b32 [narrow], ${r()};
    call.uni (taken), mix, (given, narrow);
    ld.param.b64 ${rd()}, [taken+8];
    ld.param.v2.b32 {${r()}, ${r()}}, [taken];
  }`);
  };
  const blocks = 2 + random(9);
  for (let block = 0; block < blocks; block++) {
    lines.push(`L${block}:`, '  sub.s32 %fuel, %fuel, 1;', '  setp.lt.s32 %done, %fuel, 0;', '  @%done bra END;');
    for (let count = random(8); count > 0; count--) instruction();
    if (random(4) === 0) call();
    const target = () => `L${random(blocks)}`;
    const kind = random(6);
    if (kind === 0) lines.push(`  bra.uni ${target()};`);
    else if (kind === 1) {
      lines.push(
        `  and.b32 %index, ${r()}, 3;`,
        `  T${block}: .branchtargets ${target()}, ${target()}, ${target()}, ${target()};`,
      );
      lines.push(`  ${guard()}brx.idx %index, T${block};`);
    } else if (kind === 2) lines.push(`  @${p()} ret;`);
    else lines.push(`  @${random(2) ? '!' : ''}${p()} bra ${target()};`);
  }
  const load = Array.from({ length: words }, (_, index) => `  ld.global.u32 %r${index}, [%in+${4 * index}];`);
  const store = Array.from({ length: words }, (_, index) => `  st.global.u32 [%out+${32 + 4 * index}], %r${index};`);
  return `.version 8.0
.target sm_80
.address_size 64
${callees}
.visible .entry graph(.param .u64 out, .param .u64 in, .param .u32 fuel)
{
  .reg .pred %p<4>, %done;
  .reg .b16 %h<3>;
  .reg .b32 %r<${words}>, %fuel, %index;
  .reg .b64 %rd<4>, %out, %in;
  .reg .f32 %f<2>;
  ld.param.u64 %out, [out];
  ld.param.u64 %in, [in];
  ld.param.u32 %fuel, [fuel];
${load.join('\n')}
  mov.b32 %f0, %r0;
  mov.b32 %f1, %r1;
  mov.b64 %rd0, {%r2, %r3};
  mov.b64 %rd1, {%r4, %r5};
  mov.b64 %rd2, 7;
  mov.b64 %rd3, -9;
  mov.b32 {%h0, %h1}, %r6;
  mov.u16 %h2, 5;
  setp.lt.s32 %p0, %r0, %r1;
  setp.gt.u32 %p1, %r2, %r3;
  setp.ne.s32 %p2, %r4, 0;
  setp.lt.s32 %p3, %r5, 0;
${lines.join('\n')}
END:
${store.join('\n')}
  st.global.v2.u64 [%out+64], {%rd0, %rd1};
  st.global.u64 [%out+80], %rd2;
  st.global.s16 [%out+88], %h1;
  st.global.f32 [%out+92], %f0;
  ret;
}
`;
}
