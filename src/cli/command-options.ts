// Options that several commands have.

import { type Command, Option } from 'commander';
import { planKinds } from '../base/lane-plan.ts';
import { adapterNames, executorNames } from '../harness/executors/executor.ts';
import { parseExecutors, parseSeconds } from './options.ts';

/** Loads a command, and gives its exit code. */
export type Action = () => Promise<number>;
export type Perform = (action: Action) => Promise<void>;

/** The options of the commands that run kernels. */
export function withExecutors(command: Command, fallback: string): Command {
  return command
    .addOption(
      new Option('--on <list>', `executors, of ${executorNames.join(', ')}`)
        .argParser(parseExecutors)
        .default(parseExecutors(fallback), fallback),
    )
    .addOption(adapterOption())
    .addOption(planOption())
    .option('--require-hardware', 'refuse a software adapter')
    .option('--timeout <seconds>', 'limit of one launch', parseSeconds)
    .option('--json', 'print one JSON document on stdout; messages go to stderr')
    .addOption(floatOption());
}

export function adapterOption(): Option {
  return new Option('--adapter <name>', 'a software adapter instead of what the machine has').choices(adapterNames);
}

export function planOption(): Option {
  return new Option('--plan <plan>', 'overrule the adapter’s lane plan, where it can run another').choices(planKinds);
}

export function floatOption(): Option {
  return new Option('--float <mode>', 'f32 arithmetic: PTX’s bits, or the adapter’s own')
    .choices(['exact', 'fast'])
    .default('exact');
}
