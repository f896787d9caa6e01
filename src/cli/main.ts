// The command line: what the commands are called, their options and their help. Each command is loaded when it is given.

import { Argument, Command, CommanderError, Option } from 'commander';
import { executorNames } from '../harness/executors/executor.ts';
import { exitCodes } from '../harness/runs/results.ts';
import { passNames } from '../translate/pass-names.ts';
import {
  adapterOption,
  argumentHelp,
  floatOption,
  type Perform,
  planOption,
  withExecutors,
  withKernel,
} from './command-options.ts';
import type { Console } from './console.ts';
import { fleetCommands } from './fleet-commands.ts';
import { isKernelFile } from './kernel-file.ts';
import {
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

/** Runs one command. Returns the exit code; prints every error. */
export async function main(argv: readonly string[], console: Console): Promise<number> {
  let exitCode: number = exitCodes.ok;
  const program = createProgram(console, async (action) => {
    exitCode = await action();
  });
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return exitCode;
  } catch (error) {
    // Commander has printed its message, or the help.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    const { reportError } = await import('./errors.ts');
    return reportError(error, console);
  }
}

/** The commands with their options and help. `perform` runs the action of a command. */
export function createProgram(console: Console, perform: Perform): Command {
  const program = new Command('lanewise')
    .description('Run NVIDIA PTX warp code on any GPU through WebGPU, and prove every lane.')
    .version(packageVersion())
    .exitOverride()
    .showHelpAfterError('(add --help for the options and examples)')
    .configureOutput({ writeOut: (text) => console.out(text), writeErr: (text) => console.err(text) })
    .addHelpText('after', exitCodeHelp);

  withExecutors(program.command('validate'), 'chrome')
    .description('cross-validate instructions: run each on an adapter, and compare every lane with the CPU reference')
    .argument('[query...]', 'what to validate: row:modifiers:form#case, * for any part (default: everything)')
    .option('--all', 'without a GPU, every suite: by default some of every instruction, since software compiles slowly')
    .option(
      '--exhaustive',
      'every operand of the shuffles, every choice of modifiers, and many more random cases of the rest',
    )
    .option('--seed <n>', 'seed of the random cases (default: a fresh one, which is printed)', parseSeed)
    .option('--jobs <n>', 'processes, each with executors of its own (default: several on a GPU)', parseCount)
    .option('--list', 'print the names of the selected suites, and run nothing')
    .option('--verbose', 'a line of the table for every form')
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
    .argument('<file...>', 'case files (JSON); or one .ptx or .cu file, and the arguments of its kernel')
    .addOption(
      new Option(
        '--print <name:count>',
        'of a .ptx or .cu file: print that many elements of a buffer; may be repeated (default: 16 of each that is written)',
      ).argParser(parsePrint),
    )
    .option('--save <file>', 'of a .ptx or .cu file: save the launch and its results as a case file')
    .option('--optimize <level>', 'level of the native compiler’s optimizer, for cuda (default: 4)', parseOptimize)
    .option(
      '--fresh',
      'measure the adapter now, instead of taking what was measured before with this driver and browser',
    )
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
      'run kernels from case files on this machine’s NVIDIA GPU, and write what it gives into them as `expect`',
    )
    .argument('<case...>', 'case files (JSON)')
    .option('--timeout <seconds>', 'limit of one launch', parseSeconds)
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
    .option('--count <n>', 'how many kernels; with --seconds too, whichever is first', parseCount)
    .option('--seed <n>', 'seed of the kernels (default: a fresh one, which is printed)', parseSeed)
    .option('--first <n>', 'number of the first kernel', parseCount)
    .option('--jobs <n>', 'kernels at a time, each with executors of its own', parseCount, 1)
    .option('--campaign <file>', 'keep the counts of all runs there, and go on where the last one ended')
    .option('--failures <n>', 'end after that many failures', parseCount, 5)
    .option('--out <folder>', 'where minimal cases of failures go', 'reports/fuzz')
    .option('--holding <pattern>', 'only kernels whose PTX this regular expression finds', parsePattern)
    .option('--front-end <n>', 'mutate PTX files that many times, and see that the parser never fails', parseCount)
    .option('--doors <n>', 'so many hostile inputs to PTX, case files, merge and the page’s messages', parseCount)
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
      'run the kernels of PTX files, with launches made up for each: kept where the sanitizer finds nothing, and compared with the CPU reference',
    )
    .argument('<folder>', 'where the PTX files are, at any depth')
    .option('--seconds <n>', 'begin no kernel after that time', parseSeconds)
    .option('--seed <n>', 'seed of the launches (default: a fresh one, which is printed)', parseSeed)
    .option('--jobs <n>', 'processes, each with executors of its own', parseCount, 1)
    .option('--attempts <n>', 'launches that are made up for a kernel, at most', parseCount, 9)
    .option('--launches <n>', 'launches that are run of a kernel, at most', parseCount, 2)
    .option('--filter <text>', 'only files whose path has that text')
    .option('--out <folder>', 'where cases of differences go', 'reports/survey')
    .addHelpText('after', '\nExample:\n  $ lanewise survey kernels --on dawn,cuda --jobs 8 --json > survey.json')
    .action((folder, options) =>
      perform(async () => (await import('./survey.ts')).surveyCommand(folder, options, console)),
    );

  withKernel(program.command('check'))
    .description('run the reference interpreter as a sanitizer: report undefined behavior with its PTX and CUDA lines')
    .argument('<file...>', 'case files (JSON); or one .ptx or .cu file, and the arguments of its kernel')
    .option('--timeout <seconds>', 'limit of one launch (default: 300)', parseSeconds)
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
    .argument('<file>', 'a PTX file, - for standard input, or CUDA C++ (.cu) where nvcc or clang is on the path')
    .option('--entry <name>', 'the kernel, by its C++ name or its name in PTX (default: all)')
    .addOption(
      new Option('--block <x,y,z>', 'threads of a block').argParser(parseBlock).default(parseBlock('32'), '32'),
    )
    .option('--subgroup-size <n>', 'subgroup size of the adapter; 0 for one without subgroups', parseSubgroupSize, 32)
    .option(
      '--print-after <pass>',
      `print the kernel’s IR, or its control tree, after a pass instead: ${passNames.slice(0, -1).join(', ')} or ${passNames.at(-1)}`,
    )
    .option('--source-map <file>', 'write, as JSON, which line of the PTX each line of the WGSL comes from')
    .option('--without <id...>', 'leave out workarounds for drivers and browsers (`lanewise workarounds` lists them)')
    .option('--warn-memory-order', 'warn where the kernel orders memory for other blocks, which WGSL does not')
    .addOption(floatOption())
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

  program
    .command('build')
    .description('write kernels as a JavaScript module with types: shaders, and a function that launches them')
    .argument('<file>', 'a PTX file, - for standard input, or CUDA C++ (.cu) where nvcc or clang is on the path')
    .requiredOption('-o, --output <file>', 'the module, which ends in .js or .mjs; its types go beside it')
    .option('--entry <name...>', 'kernels; all of the module without it')
    .addOption(
      new Option('--block <x,y,z>', 'threads of a block').argParser(parseBlock).default(parseBlock('32'), '32'),
    )
    .option('--shared <bytes>', 'dynamic shared memory of a block', parseCount, 0)
    .addOption(floatOption())
    .addHelpText(
      'after',
      '\nExamples:\n  $ lanewise build kernel.ptx --block 256 -o kernel.js\n  $ lanewise build kernel.cu --block 16,16 -o src/kernel.js',
    )
    .action((file, options) => perform(async () => (await import('./build.ts')).buildCommand(file, options, console)));

  withKernel(program.command('bench'))
    .description('measure instructions, kernels and the tool itself; native PTX beside WebGPU where there is a driver')
    .argument(
      '[query...]',
      'instructions, kernels, tool, or what to measure of them (default: everything); or one .ptx or .cu file, and its kernel’s arguments',
    )
    .option('--on <list>', `executors, of ${executorNames.join(', ')} (default: those found here)`, parseExecutors)
    .addOption(adapterOption())
    .addOption(planOption())
    .option('--require-hardware', 'refuse a software adapter')
    .addOption(
      new Option('--float <mode>', 'f32 arithmetic of kernels').choices(['exact', 'fast', 'both']).default('both'),
    )
    .option('--seconds <n>', 'time for instructions and kernels; the rest is left out', parseSeconds)
    .option('--list', 'print what can be measured')
    .option('--json', 'print one JSON document on stdout; the tables go to stderr')
    .option(
      '--out <file>',
      'write the JSON document there, and plots beside it (default: reports/bench.json; with --json, no file)',
    )
    .option(
      '--against <file>',
      'compare with the document of an earlier run: exit code 1 if anything has become slower',
    )
    .option('--from <file>', 'with --against: take this document instead of measuring')
    .option('--tolerance <percent>', 'with --against: how far medians may be apart', parsePercent, 3)
    .addHelpText(
      'after',
      `${argumentHelp}

Examples:
  $ lanewise bench
  $ lanewise bench saxpy.cu --grid 4096 --block 256 1048576 2.0 [1048576]=iota [1048576]=ones
  $ lanewise bench instructions --on chrome,cuda
  $ lanewise bench 'shfl.sync:*:immediate' kernel:reduce --on dawn,cuda
  $ lanewise bench kernels --against before.json
  $ lanewise bench --from after.json --against before.json`,
    )
    .action((queries, options) =>
      perform(async () => {
        const [file, ...args] = queries;
        if (!isKernelFile(file)) return (await import('./bench.ts')).benchCommand(queries, options, console);
        return (await import('./bench-kernel.ts')).benchKernelCommand(file, args, options, console);
      }),
    );

  program
    .command('merge')
    .description('put the results of several machines side by side')
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
    .description(
      'list what the translator does differently for drivers and browsers; with --on, check what is still needed',
    )
    .addOption(
      new Option('--on <list>', 'check them there: each is switched over in turn, and its kernels are run').argParser(
        parseExecutors,
      ),
    )
    .addOption(adapterOption())
    .addOption(planOption())
    .option('--require-hardware', 'refuse a software adapter')
    .option('--timeout <seconds>', 'limit of one launch', parseSeconds)
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
    .description('show the executors, adapters, subgroup sizes and features found here')
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

/** Commands on browsers of many machines. */
