// The command line: names, options and help of the commands. A command's code is loaded when it
// runs.

import { Argument, Command, CommanderError, Option } from 'commander';
import { executorNames } from '../harness/executors/executor.ts';
import { exitCodes } from '../harness/runs/results.ts';
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
  withExecutors,
  withKernel,
} from './command-options.ts';
import type { Console } from './console.ts';
import { fleetCommands } from './fleet-commands.ts';
import { isCaseFile, isKernelFile } from './kernel-file.ts';
import {
  collect,
  parseBlock,
  parseCount,
  parseExecutors,
  parseOptimize,
  parsePattern,
  parsePercent,
  parsePrint,
  parseSeconds,
  parseSeed,
  parseSubgroupSize,
} from './options.ts';
import { packageVersion } from './version.ts';

const exitCodeHelp = `
Exit codes:
  0    everything agrees
  1    a mismatch, or nothing was checked
  2    bad usage, or bad or unsupported PTX
  3    no browser or no adapter, or no more open files, memory or processes
  4    a device was lost, or a launch timed out
  130  interrupted`;

/** Runs one command and prints every error. Returns the exit code. */
export async function main(argv: readonly string[], console: Console): Promise<number> {
  let exitCode: number = exitCodes.ok;
  const program = createProgram(console, async (action) => {
    exitCode = await action();
  });
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return exitCode;
  } catch (error) {
    // Commander has already printed its message or the help.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    const { reportError } = await import('./errors.ts');
    return reportError(error, console);
  }
}

/** Returns the commands with their options and help. `perform` runs the action of a command. */
export function createProgram(console: Console, perform: Perform): Command {
  const program = new Command('lanewise')
    .description('Run NVIDIA PTX and CUDA kernels on any GPU through WebGPU, and compare every lane with a reference.')
    .version(packageVersion())
    .exitOverride()
    .showHelpAfterError('(add --help for the options and examples)')
    .configureOutput({ writeOut: (text) => console.out(text), writeErr: (text) => console.err(text) })
    .addHelpText('after', exitCodeHelp);

  withExecutors(program.command('validate'), 'chrome')
    .description('cross-validate instructions: run each on an adapter, and compare every lane with the CPU reference')
    .argument('[query...]', 'what to validate: row:modifiers:form#case, * for any part (default: everything)')
    .option(
      '--all',
      'without a GPU, run every suite: the default is some of every instruction, since software compiles slowly',
    )
    .option(
      '--exhaustive',
      'every operand of the shuffles, every combination of modifiers, and many more random cases of the rest',
    )
    .option('--seed <n>', 'seed of the random cases (default: a new one, which is printed)', parseSeed)
    .option('--jobs <n>', 'number of processes, each with its own executors (default: several on a GPU)', parseCount)
    .option('--list', 'print the names of the selected suites, without running them')
    .option('--verbose', 'print a line of the table for every form')
    .option('--html <file>', 'write the results as a page')
    .option('--junit <file>', 'write the results as JUnit XML')
    .addHelpText(
      'after',
      `
Examples:
  $ lanewise validate
  $ lanewise validate shfl.sync:bfly
  $ lanewise validate '*:*:guard' --on chrome,dawn,cuda
  $ lanewise validate 'shfl.sync:up:register#17' --seed 42
  $ lanewise validate --on dawn --adapter lavapipe8`,
    )
    .action((queries, options) =>
      perform(async () => (await import('./validate.ts')).validateCommand(queries, options, console)),
    );

  withKernel(withExecutors(program.command('run'), 'chrome'))
    .description('run a kernel, or kernels from case files, and compare with the CPU reference and with `expect`')
    .argument('<file...>', 'case files (JSON), or one .ptx or .cu file and the arguments of its kernel')
    .addOption(
      new Option(
        '--print <name:count>',
        'with a .ptx or .cu file: print this many elements of a buffer; repeatable (default: 16 of each written buffer)',
      ).argParser(parsePrint),
    )
    .option('--save <file>', 'with a .ptx or .cu file: save the launch and its results as a case file')
    .option('--optimize <level>', 'with cuda: level of the native compiler’s optimizer (default: 4)', parseOptimize)
    .option('--fresh', 'measure the adapter now, instead of reusing the measurement for this driver and browser')
    .addHelpText(
      'after',
      `${argumentHelp}

Examples:
  $ lanewise run saxpy.cu --grid 4 --block 256 1024 2.0 x:f32[1024]=iota y:f32[1024]=ones --print y:8
  $ lanewise run kernel.ptx --entry reduce --block 128 [4096]=random [1] --save reduce.json
  $ lanewise run test/kernels/*.json --on cpu,chrome`,
    )
    .action((paths, options, command) =>
      perform(async () =>
        (await import('./run.ts')).runCommand(
          paths,
          { ...options, anyExecutor: command.getOptionValueSource('on') === 'default' },
          console,
        ),
      ),
    );

  program
    .command('golden')
    .description(
      'run kernels from case files on this machine’s NVIDIA GPU, and write the results into them as `expect`',
    )
    .argument('<case...>', 'case files (JSON)')
    .option('--timeout <seconds>', 'time limit of one launch', parseSeconds)
    .addHelpText('after', '\nExample:\n  $ lanewise golden test/kernels/reduce_redux.json')
    .action((paths, options) =>
      perform(async () => (await import('./golden.ts')).goldenCommand(paths, options, console)),
    );

  withExecutors(program.command('fuzz'), 'chrome')
    .description(
      'generate kernels, run each on every executor, and compare every register of every thread with the CPU reference',
    )
    .argument('[file...]', 'PTX files to mutate, with --front-end (default: generated kernels)')
    .option('--seconds <n>', 'how long (default: 60)', parseSeconds)
    .option('--count <n>', 'number of kernels; with --seconds, the first limit reached ends the run', parseCount)
    .option('--seed <n>', 'seed of the kernels (default: a new one, which is printed)', parseSeed)
    .option('--first <n>', 'number of the first kernel', parseCount)
    .option('--jobs <n>', 'kernels in parallel, each with its own executors', parseCount, 1)
    .option('--campaign <file>', 'keep the counts of all runs in this file, and continue after the last run')
    .option('--failures <n>', 'stop after this many failures', parseCount, 5)
    .option('--out <folder>', 'folder for minimal cases of failures', 'reports/fuzz')
    .option('--holding <pattern>', 'only kernels whose PTX matches this regular expression', parsePattern)
    .option('--front-end <n>', 'mutate PTX files this many times, and check that the parser never crashes', parseCount)
    .option('--doors <n>', 'try this many hostile inputs on PTX, case files, merge and the page’s messages', parseCount)
    .addHelpText(
      'after',
      `
Examples:
  $ lanewise fuzz --on cpu,dawn --seconds 300
  $ lanewise fuzz --on dawn,cuda --jobs 8 --seed 42
  $ lanewise fuzz --on dawn --seed 42 --first 1234 --count 1
  $ lanewise fuzz --on dawn,cuda --jobs 16 --seconds 300 --campaign fuzz.json
  $ lanewise fuzz --front-end 100000
  $ lanewise fuzz --doors 1000000`,
    )
    .action((files, options) => perform(async () => (await import('./fuzz.ts')).fuzzCommand(files, options, console)));

  withExecutors(program.command('survey'), 'chrome')
    .description(
      'construct launches for the kernels of PTX files, keep those without sanitizer findings, and compare them with the CPU reference',
    )
    .argument('<folder>', 'the folder of the PTX files, at any depth')
    .option('--seconds <n>', 'start no kernel after this time', parseSeconds)
    .option('--seed <n>', 'seed of the launches (default: a new one, which is printed)', parseSeed)
    .option('--jobs <n>', 'number of processes, each with its own executors', parseCount, 1)
    .option('--attempts <n>', 'maximum of launches constructed per kernel', parseCount, 9)
    .option('--launches <n>', 'maximum of launches run per kernel', parseCount, 2)
    .option('--filter <text>', 'only files whose path contains this text')
    .option('--out <folder>', 'folder for cases of differences', 'reports/survey')
    .addHelpText('after', '\nExample:\n  $ lanewise survey kernels --on dawn,cuda --jobs 8 --json > survey.json')
    .action((folder, options) =>
      perform(async () => (await import('./survey.ts')).surveyCommand(folder, options, console)),
    );

  withExecutors(program.command('litmus'), 'chrome')
    .description('run litmus tests of the memory model: report which outcomes PTX allows, and which a GPU shows')
    .argument('[test...]', 'files of tests, shapes such as MP, or names of built-in tests with * for any text')
    .option('--launches <n>', 'number of launches of each test (default: 256, on software 8)', parseCount)
    .option('--mutants', 'also run each test without a fence or with a weaker order, until its weak outcome is seen')
    .option('--seconds <n>', 'time limit of each mutant', parseCount, 5)
    .option('--progress', 'test instead whether waiting threads make progress: blocks, warps and lanes')
    .option('--seed <n>', 'seed of the placements and delays (default: a new one, which is printed)', parseSeed)
    .option('--list', 'print the tests, the verdicts of PTX and the conditions, without running them')
    .addHelpText(
      'after',
      `
Examples:
  $ lanewise litmus MP --on dawn
  $ lanewise litmus 'MP+relaxed+*' --on cuda --mutants
  $ lanewise litmus queue.litmus --on dawn,cuda --launches 100
  $ lanewise litmus --list '*+gpu+apart'`,
    )
    .action((names, options) =>
      perform(async () => (await import('./litmus.ts')).litmusCommand(names, options, console)),
    );

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

  program
    .command('merge')
    .description('compare the results of several machines side by side')
    .argument(
      '<file...>',
      'JSON documents of `lanewise validate --json` and the like, of the page’s "Copy report", or campaigns of a fleet',
    )
    .option('--html <file>', 'write the comparison as a page')
    .option('--junit <file>', 'write the results as JUnit XML')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  $ lanewise merge laptop.json server.json --html machines.html')
    .action((files, options) =>
      perform(async () => (await import('./merge.ts')).mergeCommand(files, options, console)),
    );

  fleetCommands(program, console, perform);

  program
    .command('workarounds')
    .argument('[id...]', 'workarounds by id (default: all)')
    .description('list the workarounds for drivers and browsers; with --on, check which are still needed')
    .addOption(
      new Option(
        '--on <list>',
        'check them on these executors: switch each one in turn, and run its kernels',
      ).argParser(parseExecutors),
    )
    .addOption(adapterOption())
    .addOption(planOption())
    .option('--require-hardware', 'refuse a software adapter')
    .option('--timeout <seconds>', 'time limit of one launch', parseSeconds)
    .option('--json', 'print one JSON document on stdout; messages go to stderr')
    .addOption(floatOption())
    .addHelpText(
      'after',
      '\nExamples:\n  $ lanewise workarounds\n  $ lanewise workarounds --on chrome\n  $ lanewise workarounds part-bit-tests --on dawn --json',
    )
    .action((ids, options) =>
      perform(async () => (await import('./workarounds.ts')).workaroundsCommand(ids, options, console)),
    );

  program
    .command('info')
    .description('show the executors, adapters, subgroup sizes and features of this machine')
    .option('--json', 'print one JSON document')
    .action((options) => perform(async () => (await import('./info.ts')).infoCommand(options, console)));

  program
    .command('completion')
    .description('print a script that completes commands and options in a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish']))
    .addHelpText(
      'after',
      `
Examples:
  $ source <(lanewise completion bash)
  $ lanewise completion zsh > "\${fpath[1]}/_lanewise"
  $ lanewise completion fish > ~/.config/fish/completions/lanewise.fish`,
    )
    .action((shell) =>
      perform(async () => {
        console.out((await import('./completion.ts')).completionScript(program, shell));
        return exitCodes.ok;
      }),
    );

  return program;
}

/** Commands that use browsers on many machines. */
