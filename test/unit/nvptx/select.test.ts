// Instructions selected from LLVM IR: one construct each, by the PTX that it becomes.
import { describe, expect, test } from 'vitest';
import { compileIr } from '../../../src/nvptx/index.ts';
import { originOf } from '../../../src/ptx/diagnostics/origin.ts';
import { ptxOf } from './run-ir.ts';

/**
 * Returns the instructions of the only kernel, without labels, declarations and loads of
 * parameters.
 */
function instructionsOf(ir: string): string[] {
  const lines = ptxOf(ir).split('\n');
  return lines
    .slice(lines.indexOf('{') + 1)
    .map((line) => line.trim().replaceAll(/\s+/g, ' '))
    .filter((line) => /^[@a-z{}]/.test(line) && !/^(ld\.param|cvta\.to)/.test(line));
}
const kernel = (params: string, body: string, rest = ''): string =>
  `target triple = "nvptx64-nvidia-cuda"\n${rest}\ndefine ptx_kernel void @k(${params}) {\n${body}\n}\n`;

describe('address spaces', () => {
  test('a parameter of a kernel points to global memory, and offsets stay in the access', () => {
    const ir = kernel('ptr %p', '  %q = getelementptr i8, ptr %p, i64 12\n  store i32 7, ptr %q, align 4\n  ret void');
    expect(instructionsOf(ir)).toEqual(['mov.b32 %r0, 7;', 'st.global.b32 [%rd1+12], %r0;', 'ret;', '}']);
  });

  test('a cast of a shared variable to the generic space keeps shared accesses', () => {
    const ir = kernel(
      'i32 %i',
      `  %p = getelementptr float, ptr addrspacecast (ptr addrspace(3) @s to ptr), i32 %i
  store float 1.0, ptr %p, align 4
  ret void`,
      '@s = internal addrspace(3) global [32 x float] undef, align 4',
    );
    expect(ptxOf(ir)).toContain('.shared .align 4 .b8 s[128];');
    expect(instructionsOf(ir)).toContain('st.shared.f32 [%rd2], %f0;');
  });

  test('the number of a shared address is the address in shared memory', () => {
    const ir = kernel(
      'ptr %p',
      '  store i64 ptrtoint (ptr addrspace(3) @s to i64), ptr %p, align 8\n  ret void',
      '@s = internal addrspace(3) global i32 undef, align 4',
    );
    expect(instructionsOf(ir)).toEqual(['mov.u64 %rd2, s;', 'st.global.b64 [%rd1], %rd2;', 'ret;', '}']);
  });

  test('a constant sum with a shared address is added', () => {
    const ir = kernel(
      'ptr %p',
      '  store i32 add (i32 ptrtoint (ptr addrspace(3) @s to i32), i32 8), ptr %p, align 4\n  ret void',
      '@s = internal addrspace(3) global [4 x i32] undef, align 4',
    );
    expect(instructionsOf(ir)).toEqual([
      'mov.u64 %rd2, s;',
      'cvt.u32.u64 %r0, %rd2;',
      'add.s32 %r1, %r0, 8;',
      'st.global.b32 [%rd1], %r1;',
      'ret;',
      '}',
    ]);
  });

  test('a pointer of two spaces is generic', () => {
    const ir = kernel(
      'i1 %c, ptr %p',
      `  %q = select i1 %c, ptr %p, ptr addrspacecast (ptr addrspace(3) @s to ptr)
  store i8 1, ptr %q, align 1
  ret void`,
      '@s = internal addrspace(3) global i32 undef, align 4',
    );
    expect(instructionsOf(ir).join('\n')).toMatch(
      /cvta\.global\.u64 .*\n.*\n?cvta\.shared\.u64 .*\nselp\.b64 .*\n.*\nst\.u8/,
    );
  });
});

describe('accesses', () => {
  test('aligned vectors are one access', () => {
    const ir = kernel(
      'ptr %p',
      '  %v = load <4 x float>, ptr %p, align 16\n  store <4 x float> %v, ptr %p, align 8\n  ret void',
    );
    const [load, first, second] = instructionsOf(ir);
    expect(load).toBe('ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%rd1];');
    expect(first).toBe('st.global.v2.f32 [%rd1], {%f0, %f1};');
    expect(second).toBe('st.global.v2.f32 [%rd1+8], {%f2, %f3};');
  });

  test('an access below the alignment of its type is made of bytes', () => {
    const ir = kernel('ptr %p', '  %v = load i32, ptr %p, align 1\n  store i32 %v, ptr %p, align 2\n  ret void');
    const text = instructionsOf(ir).join('\n');
    expect(text.match(/ld\.global\.u8/g)).toHaveLength(4);
    expect(text.match(/st\.global\.b16/g)).toHaveLength(2);
  });

  test('a struct that the kernel only reads stays in the space of parameters', () => {
    const ir = kernel(
      'ptr byval({ i32, float }) align 4 %s, ptr %p',
      `  %f = getelementptr inbounds { i32, float }, ptr %s, i32 0, i32 1
  %v = load float, ptr %f, align 4
  store float %v, ptr %p, align 4
  ret void`,
    );
    expect(ptxOf(ir)).toContain('ld.param.f32 \t%f0, [k_param_0+4];');
  });

  test('a kernel loads a small parameter with its own size', () => {
    const ir = `define ptx_kernel void @k(ptr %out, i16 signext %a, i1 zeroext %b) {
  %wide = zext i1 %b to i16
  %sum = add i16 %a, %wide
  store i16 %sum, ptr %out
  ret void
}`;
    const ptx = ptxOf(ir);
    expect(ptx).toMatch(/ld\.param\.[bu]16\s+%\w+, \[k_param_1\]/);
    expect(ptx).toMatch(/ld\.param\.u8\s+%\w+, \[k_param_2\]/);
  });
});

describe('floats', () => {
  test('a product and a sum that allow contraction become fma', () => {
    const ir = kernel(
      'float %a, ptr %p',
      `  %x = load float, ptr %p, align 4
  %m = fmul contract float %a, %x
  %s = fadd contract float %m, 1.0
  store float %s, ptr %p, align 4
  ret void`,
    );
    expect(instructionsOf(ir)).toContain('fma.rn.f32 %f2, %f0, %f1, 0f3F800000;');
    expect(instructionsOf(ir).join('')).not.toContain('mul');
  });

  test('without contraction they stay apart', () => {
    const ir = kernel(
      'float %a, ptr %p',
      '  %m = fmul float %a, %a\n  %s = fadd float %m, 1.0\n  store float %s, ptr %p, align 4\n  ret void',
    );
    expect(instructionsOf(ir).slice(0, 2)).toEqual(['mul.rn.f32 %f1, %f0, %f0;', 'add.rn.f32 %f2, %f1, 0f3F800000;']);
  });

  test('a constant of f32 keeps the bits of its f64', () => {
    const ir = kernel('ptr %p', '  store float 0x3FB99999A0000000, ptr %p, align 4\n  ret void');
    expect(instructionsOf(ir)).toContain('mov.f32 %f0, 0f3DCCCCCD;');
  });
});

describe('control flow', () => {
  test('phis that exchange their values are moved at once', () => {
    const ir = kernel(
      'i32 %n, ptr %p',
      `entry:
  br label %loop
loop:
  %a = phi i32 [ 1, %entry ], [ %b, %loop ]
  %b = phi i32 [ 2, %entry ], [ %a, %loop ]
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %j = add i32 %i, 1
  %c = icmp slt i32 %j, %n
  br i1 %c, label %loop, label %end
end:
  store i32 %a, ptr %p, align 4
  ret void`,
    );
    const text = instructionsOf(ir).join('\n');
    const [, a = '', b = ''] = /mov\.b32 (%r\d+), 1;\nmov\.b32 (%r\d+), 2;/.exec(text) ?? [];
    const [, copyA, copyB] = new RegExp(`mov\\.b32 (%r\\d+), ${b};\\nmov\\.b32 (%r\\d+), ${a};`).exec(text) ?? [];
    expect(text).toContain(`mov.b32 ${a}, ${copyA};\nmov.b32 ${b}, ${copyB};`);
  });
});

describe('inline PTX', () => {
  test('operands replace their numbers, and a tied input shares the register of its output', () => {
    const ir = kernel(
      'i32 %a, ptr %p',
      `  %r = call i32 asm sideeffect "add.u32 $0, $1, ${'$'}{2:n}; // $$", "=r,0,n"(i32 %a, i32 5)
  store i32 %r, ptr %p, align 4
  ret void`,
    );
    expect(instructionsOf(ir).slice(0, 2)).toEqual(['mov.b32 %r1, %r0;', 'add.u32 %r1, %r1, 5; // $']);
  });
});

describe('what is not supported is named at its place', () => {
  test.each([
    [
      'an instruction',
      kernel('ptr %p', '  %v = va_arg ptr %p, i32\n  ret void'),
      'LL0801',
      'the instruction `va_arg`',
      'va_arg',
    ],
    [
      'an intrinsic',
      kernel('', '  call void @llvm.eh.sjlj.setup()\n  ret void', 'declare void @llvm.eh.sjlj.setup()'),
      'LL0801',
      'the intrinsic `llvm.eh.sjlj.setup`',
      'call void',
    ],
    ['a name', kernel('ptr %p', '  store i32 %x, ptr %p\n  ret void'), 'LL0301', '`%x` is not defined', '%x'],
    ['another target', 'target triple = "x86_64-linux"\n', 'LL0802', 'the module is for `x86_64-linux`', '"x86'],
    ['a character', 'define §', 'LL0101', 'unexpected character `§`', '§'],
    ['an open string', 'source_filename = "a', 'LL0102', 'this string is never closed', '"a'],
  ])('%s', (_, ir, code, message, place) => {
    const [diagnostic] = compileIr(ir).diagnostics;
    expect(diagnostic).toMatchObject({ code, severity: 'error' });
    expect(diagnostic?.message).toContain(message);
    expect(ir.slice(diagnostic?.span.start)).toMatch(new RegExp(`^${place.replaceAll(/[%"]/g, '\\$&')}`));
  });

  const metadata = `!1 = !DIFile(filename: "a.cu", directory: "/")
!2 = !DIFile(filename: "a.cuh", directory: "/")
!3 = distinct !DISubprogram(name: "k", file: !1, line: 5)
!4 = distinct !DILocation(line: 7, column: 3, scope: !3)
!5 = distinct !DISubprogram(name: "f", linkageName: "_Z1fv", file: !2, line: 1)
!6 = !DILocation(line: 2, column: 9, scope: !5, inlinedAt: !4)`;

  test.each([
    ['of an instruction that does not parse', '  %v = add i256 1, 2, !dbg !4'],
    ['of an instruction that cannot be selected', '  %v = fdiv <2 x half> %w, %w, !dbg !4'],
  ])('the message has the line of the CUDA source %s', (_, line) => {
    expect(compileIr(kernel('ptr %p', `${line}\n  ret void`, metadata)).places).toEqual([
      { file: 'a.cu', line: 7, column: 3 },
    ]);
  });

  test('the message has the lines of the calls that were inlined', () => {
    const ir = kernel('ptr %p', '  %v = va_arg ptr %p, i32, !dbg !6\n  ret void', metadata);
    expect(compileIr(ir).places).toEqual([
      { file: 'a.cuh', line: 2, column: 9 },
      { file: 'a.cu', line: 7, column: 3 },
    ]);
  });

  test('the PTX names the calls that were inlined, for the messages about the PTX', () => {
    const ptx = ptxOf(
      kernel('ptr %p', '  store i32 1, ptr %p, !dbg !6\n  store i32 2, ptr %p, !dbg !6\n  ret void', metadata),
    );
    const source = { text: ptx, file: 'k.ptx' };
    expect(ptx.match(/\.loc/g)).toHaveLength(2);
    expect(originOf(source, ptx.indexOf('st.global'))).toMatchObject({
      file: 'a.cuh',
      line: 2,
      inlined: [{ callee: '_Z1fv', at: { file: 'a.cu', line: 7, column: 3 } }],
    });
  });
});
