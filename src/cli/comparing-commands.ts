// The commands that compare executors: their names, options and help.

import { type Command, Option } from 'commander';
import { subjects } from '../harness/fuzz/subject-names.ts';
import { argumentHelp, type Perform, withExecutors, withKernel } from './command-options.ts';
import type { Console } from './console.ts';
import { parseCount, parseOptimize, parsePattern, parsePrint, parseSeconds, parseSeed } from './options.ts';

/** Adds commands that run kernels on executors and compare the results. */
export function comparingCommands(program: Command, console: Console, perform: Perform): void {
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
    .addOption(
      new Option('--subject <name>', 'instructions that every kernel contains: any, or those of sm_90a').choices([
        ...subjects,
      ]),
    )
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
    .option('--out <file>', 'after each test, write a report that `lanewise merge` reads')
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
}
