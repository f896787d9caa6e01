// Names, options and help of the commands on fleets.

import type { Command } from 'commander';
import { floatOption, type Perform, planOption } from './command-options.ts';
import type { Console } from './console.ts';
import { parseCount, parseSeconds, parseSeed } from './options.ts';

export function fleetCommands(program: Command, console: Console, perform: Perform): void {
  const fleet = program
    .command('fleet')
    .description('validate, run, fuzz and bench in the browsers of many machines, through WebDriver (a Selenium Grid)');

  onFleet(fleet.command('validate'))
    .description('cross-validate instructions on every machine')
    .argument('[query...]', 'what to validate: row:modifiers:form#case, * for any part (default: everything)')
    .option('--exhaustive', 'every operand of the shuffles, every combination of modifiers, and many more random cases')
    .option('--seed <n>', 'seed of the random cases (default: the campaign’s, or a new one)', parseSeed)
    .addHelpText('after', '\nExample:\n  $ lanewise fleet validate --fleet fleet.json --html fleet.html')
    .action((queries, options) =>
      perform(async () => (await import('./fleet.ts')).fleetValidateCommand(queries, options, console)),
    );

  onFleet(fleet.command('run'))
    .description('run kernels from case files on every machine')
    .argument('<case...>', 'case files (JSON)')
    .addHelpText('after', '\nExample:\n  $ lanewise fleet run test/kernels/*.json --fleet fleet.json')
    .action((paths, options) =>
      perform(async () => (await import('./fleet.ts')).fleetRunCommand(paths, options, console)),
    );

  onFleet(fleet.command('fuzz'))
    .description('run the same generated kernels on every machine')
    .option('--count <n>', 'number of kernels', parseCount, 1000)
    .option('--seed <n>', 'seed of the kernels (default: the campaign’s, or a new one)', parseSeed)
    .option('--first <n>', 'number of the first kernel', parseCount)
    .option('--out <folder>', 'folder for minimal cases of failures, by machine', 'reports/fleet')
    .addHelpText('after', '\nExample:\n  $ lanewise fleet fuzz --count 10000 --fleet fleet.json --campaign fuzz.jsonl')
    .action((options) => perform(async () => (await import('./fleet.ts')).fleetFuzzCommand(options, console)));

  onFleet(fleet.command('bench'))
    .description('measure the same instructions and kernels on every machine, in one session at a time')
    .argument('[query...]', 'instructions, kernels, or entries that `lanewise bench --list` prints (default: all)')
    .option('--in-turn', 'use one machine after the other, for machines that share a GPU')
    .addHelpText('after', '\nExample:\n  $ lanewise fleet bench instructions --fleet fleet.json --html speed.html')
    .action((queries, options) =>
      perform(async () => (await import('./fleet.ts')).fleetBenchCommand(queries, options, console)),
    );

  fleet
    .command('compare')
    .description('compare two campaigns, for example before and after a new browser or driver')
    .argument('<before>', 'a campaign, or its JSON document')
    .argument('<after>', 'the later campaign, on the same machines')
    .option('--html <file>', 'write the changes as a page')
    .option(
      '--junit <file>',
      'write the changes as JUnit XML: suites that passed before and do not pass now are failures',
    )
    .option('--json', 'print one JSON document on stdout; messages go to stderr')
    .addHelpText(
      'after',
      '\nExample:\n  $ lanewise fleet compare chrome-155.jsonl chrome-156.jsonl --html since-155.html',
    )
    .action((before, after, options) =>
      perform(async () => (await import('./fleet-compare.ts')).fleetCompareCommand(before, after, options, console)),
    );
}

function onFleet(command: Command): Command {
  return command
    .requiredOption('--fleet <file>', 'the file of machines (JSON); docs/guides/validate-a-fleet.md describes it')
    .option('--campaign <file>', 'keep the finished pieces in this file, and continue after them')
    .option(
      '--wait <seconds>',
      'give up on a machine after this time without an open session (default: 300)',
      parseSeconds,
      300_000,
    )
    .addOption(planOption())
    .option('--require-hardware', 'refuse software adapters')
    .option('--timeout <seconds>', 'time limit of one launch', parseSeconds)
    .option('--html <file>', 'write a page: machines by instructions')
    .option('--junit <file>', 'write the results as JUnit XML')
    .option('--json', 'print one JSON document on stdout, which `lanewise merge` reads; messages go to stderr')
    .addOption(floatOption());
}
