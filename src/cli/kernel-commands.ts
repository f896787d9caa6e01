// The commands that check, translate or measure the user's kernels: their names, options and help.

import { type Command, Option } from 'commander';
import { executorNames } from '../harness/executors/executor.ts';
import { passNames } from '../translate/pass-names.ts';
import {
  adapterOption,
  argumentHelp,
  compileTimeoutOption,
  floatOption,
  matrixOption,
  type Perform,
  planOption,
  shaderMatrixOption,
  withBuilding,
  withKernel,
} from './command-options.ts';
import type { Console } from './console.ts';
import { isCaseFile, isKernelFile } from './kernel-file.ts';
import { collect, parseBlock, parseExecutors, parsePercent, parseSeconds, parseSubgroupSize } from './options.ts';

/** Adds commands for a program or a kernel of the user. */
export function kernelCommands(program: Command, console: Console, perform: Perform): void {
  program
    .command('program')
    .description('compile a whole CUDA program with its `main`, and run it without a CUDA toolkit')
    .argument('<word...>', 'source files (.cu, .cpp), then the arguments of the program; `--` ends the options')
    .addOption(
      new Option(
        '--on <executor>',
        'cpu (the reference), dawn, chrome or firefox (default: dawn, if there is an adapter)',
      ).argParser(parseExecutors),
    )
    .option('-I, --include <folder>', 'folder of headers; repeatable', collect)
    .option('-D, --define <macro>', 'macro, such as N=16; repeatable', collect)
    .addOption(floatOption())
    .addHelpText(
      'after',
      `
Examples:
  $ lanewise program vectorAdd.cu
  $ lanewise program main.cu kernels.cu -I include -D N=1024 -- --size 64
  $ lanewise program histogram.cu --on cpu`,
    )
    .action((words, options) =>
      perform(async () => (await import('./program.ts')).programCommand(words, options, console)),
    );

  withKernel(program.command('check'))
    .description('run the reference interpreter as a sanitizer: report undefined behavior with its PTX and CUDA lines')
    .argument('<file...>', 'case files (JSON), or one .ptx or .cu file and the arguments of its kernel')
    .option('--timeout <seconds>', 'time limit of one launch (default: 300)', parseSeconds)
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      `${argumentHelp}

Examples:
  $ lanewise check histogram.cu --grid 4 --block 256 data:u8[4096]=random bins:u32[256]
  $ lanewise check test/kernels/reduce_redux.json`,
    )
    .action((paths, options) =>
      perform(async () => (await import('./check.ts')).checkCommand(paths, options, console)),
    );

  program
    .command('translate')
    .description('print the WGSL of a PTX kernel, of a fragment of PTX, or of SASS shuffles')
    .argument('<file>', 'a PTX file, - for standard input, or CUDA C++ (.cu) if nvcc or clang is on the path')
    .option('--entry <name>', 'the kernel, by its C++ or PTX name (default: all)')
    .addOption(
      new Option('--block <x,y,z>', 'threads of a block').argParser(parseBlock).default(parseBlock('32'), '32'),
    )
    .option('--subgroup-size <n>', 'subgroup size of the adapter; 0 for one without subgroups', parseSubgroupSize, 32)
    .option(
      '--print-after <pass>',
      `print the kernel’s IR, or its control tree, after a pass instead: ${passNames.slice(0, -1).join(', ')} or ${passNames.at(-1)}`,
    )
    .option('--source-map <file>', 'write the source map as JSON: the PTX line of each WGSL line')
    .option('--without <id...>', 'leave out workarounds for drivers and browsers (`lanewise workarounds` lists them)')
    .option('--warn-memory-order', 'warn if the kernel orders memory for other blocks, which WGSL does not guarantee')
    .addOption(floatOption())
    .addOption(shaderMatrixOption())
    .addHelpText(
      'after',
      `
Examples:
  $ lanewise translate kernel.ptx --block 256
  $ lanewise translate kernel.ptx --source-map kernel.map.json > kernel.wgsl
  $ lanewise translate kernel.ptx --print-after resolve-memory
  $ echo 'shfl.sync.bfly.b32 Ry, Rx, 0x10, 0x1f, 0xffffffff;' | lanewise translate - --subgroup-size 8`,
    )
    .action((file, options) =>
      perform(async () => (await import('./translate.ts')).translateCommand(file, options, console)),
    );

  withBuilding(
    program
      .command('build')
      .description('write kernels as a typed module: shaders for each kind of adapter, and functions that launch them')
      .argument('<file>', 'a PTX file, - for standard input, or CUDA C++ (.cu) if nvcc or clang is on the path')
      .requiredOption(
        '-o, --output <file>',
        'the module: .ts or .mts, or .js or .mjs with its types in a file beside it',
      ),
  )
    .addHelpText(
      'after',
      `
Examples:
  $ lanewise build saxpy.cu --block 256 -o saxpy.js
  $ lanewise build image.ptx --block blur=16,16 --block sum=256 --params sum=n,x,out -o src/image.ts
  $ lanewise build kernel.ptx --block 128 --plan native portable -o kernel.js`,
    )
    .action((file, options) => perform(async () => (await import('./build.ts')).buildCommand(file, options, console)));

  withKernel(program.command('bench'))
    .description('measure instructions, kernels and the tool itself, and native PTX if there is a CUDA driver')
    .argument(
      '[query...]',
      'instructions, kernels, tool, or entries of them (default: everything); or one .ptx or .cu file, and its kernel’s arguments; or one case file; or `compile` with files or folders, to measure the time from PTX to the first result',
    )
    .option('--on <list>', `executors, of ${executorNames.join(', ')} (default: those available)`, parseExecutors)
    .addOption(adapterOption())
    .addOption(planOption())
    .option('--require-hardware', 'refuse a software adapter')
    .addOption(
      new Option('--float <mode>', 'f32 arithmetic of kernels').choices(['exact', 'fast', 'both']).default('both'),
    )
    .addOption(matrixOption())
    .option('--seconds <n>', 'time limit for instructions and kernels; later entries are left out', parseSeconds)
    .addOption(compileTimeoutOption())
    .option('--list', 'print the entries that can be measured')
    .option('--json', 'print one JSON document on stdout; the tables go to stderr')
    .option(
      '--out <file>',
      'write the JSON document there, and plots beside it (default: reports/bench.json; with --json, no file)',
    )
    .option(
      '--against <file>',
      'compare with the document of an earlier run; exit code 1 if an entry has become slower',
    )
    .option('--from <file>', 'with --against: use this document instead of measuring')
    .option('--tolerance <percent>', 'with --against: allowed difference of medians', parsePercent, 3)
    .addHelpText(
      'after',
      `${argumentHelp}

Examples:
  $ lanewise bench
  $ lanewise bench saxpy.cu --grid 4096 --block 256 1048576 2.0 [1048576]=iota [1048576]=ones
  $ lanewise bench instructions --on chrome,cuda
  $ lanewise bench compile kernels/ --on dawn --compile-timeout 20 --json > compile.json
  $ lanewise bench 'shfl.sync:*:immediate' kernel:reduce --on dawn,cuda
  $ lanewise bench kernels --against before.json
  $ lanewise bench --from after.json --against before.json`,
    )
    .action((queries, options) =>
      perform(async () => {
        const [file, ...args] = queries;
        if (file === 'compile') return (await import('./bench-compile.ts')).benchCompileCommand(args, options, console);
        if (!isKernelFile(file) && !isCaseFile(file))
          return (await import('./bench.ts')).benchCommand(queries, options, console);
        return (await import('./bench-kernel.ts')).benchKernelCommand(file, args, options, console);
      }),
    );
}
