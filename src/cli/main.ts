// The command line: names, options and help of the commands. A command's code is loaded when it
// runs.

import { Argument, Command, CommanderError, Option } from 'commander';
import { exitCodes } from '../harness/runs/results.ts';
import { adapterOption, floatOption, type Perform, planOption } from './command-options.ts';
import { comparingCommands } from './comparing-commands.ts';
import type { Console } from './console.ts';
import { fleetCommands } from './fleet-commands.ts';
import { kernelCommands } from './kernel-commands.ts';
import { parseExecutors, parseSeconds } from './options.ts';
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

  comparingCommands(program, console, perform);
  kernelCommands(program, console, perform);

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
