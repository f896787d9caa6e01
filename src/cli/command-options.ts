// Options that several commands share.

import { type Command, Option } from 'commander';
import { planKinds } from '../base/lane-plan.ts';
import { matrixModes } from '../base/matrix-mode.ts';
import { adapterNames, executorNames } from '../harness/executors/executor.ts';
import {
  parseBlock,
  parseBlockChoice,
  parseCluster,
  parseCount,
  parseExecutors,
  parseGrid,
  parseNamesChoice,
  parseSeconds,
  parseSharedChoice,
} from './options.ts';

/** Loads and runs a command. Resolves with its exit code. */
export type Action = () => Promise<number>;
export type Perform = (action: Action) => Promise<void>;

/** Adds the options of the commands that run kernels. */
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
    .option('--timeout <seconds>', 'time limit of one launch', parseSeconds)
    .addOption(compileTimeoutOption())
    .option('--json', 'print one JSON document on stdout; messages go to stderr')
    .addOption(floatOption())
    .addOption(matrixOption());
}

/** Adds the options of the commands that also run a kernel without a case file. */
export function withKernel(command: Command): Command {
  return command
    .option('--entry <name>', 'with a .ptx or .cu file: the kernel, by its C++ or PTX name, if there are several')
    .addOption(
      new Option('--grid <x,y,z>', 'with a .ptx or .cu file: blocks of the grid (default: 1)').argParser(parseGrid),
    )
    .addOption(
      new Option(
        '--block <x,y,z>',
        'with a .ptx or .cu file: threads of a block (default: a size that suits the kernel)',
      ).argParser(parseBlock),
    )
    .addOption(
      new Option(
        '--cluster <x,y,z>',
        'with a .ptx or .cu file: blocks of a cluster (default: from `.reqnctapercluster`, or 1)',
      ).argParser(parseCluster),
    )
    .option('--shared <bytes>', 'with a .ptx or .cu file: dynamic shared memory of a block (default: 0)', parseCount)
    .option(
      '--counters',
      'with a .ptx or .cu file: count divergence, bank conflicts, sectors, local memory and barriers in the reference',
    );
}

/** Adds the options of `build`, which an import also accepts in its query. */
export function withBuilding(command: Command): Command {
  return command
    .option('--entry <name...>', 'kernels to include (default: all of the module)')
    .addOption(
      new Option(
        '--block <[kernel=]x,y,z>',
        'threads of a block, of all kernels or of one; repeatable (default: from `.reqntid`)',
      ).argParser(parseBlockChoice),
    )
    .addOption(
      new Option(
        '--shared <[kernel=]bytes>',
        'dynamic shared memory of a block, of all kernels or of one; repeatable (default: 0)',
      ).argParser(parseSharedChoice),
    )
    .addOption(
      new Option(
        '--params <[kernel=]names>',
        'names of the parameters, such as n,a,x,y; repeatable (default: from the CUDA source)',
      ).argParser(parseNamesChoice),
    )
    .addOption(new Option('--plan <plan...>', 'lane plans to include (default: all)').choices(planKinds))
    .option('--readable', 'keep the names, comments and lines of the WGSL')
    .addOption(floatOption())
    .addOption(shaderMatrixOption());
}

export const argumentHelp = `
After a .ptx or .cu file, write its kernel's arguments in order, each as [name:]VALUE:
  1024, 2.5, -1, 0xff              a number of the parameter's type
  f32[1024]                        a buffer of 1024 zeros; omit the type if the kernel's accesses show it
  f32[1024]=iota, =ones, =random   a pattern; =random:7 has another seed
  f32[4]=1,2,3,4                   numbers
  f32[1024]=@x.npy, =@x.bin        the contents of a file`;

export function adapterOption(): Option {
  return new Option('--adapter <name>', 'use a software adapter instead of the machine’s own').choices(adapterNames);
}

export function compileTimeoutOption(): Option {
  return new Option(
    '--compile-timeout <seconds>',
    'time limit of the driver’s compiler for one kernel (default: 120, on software adapters 50, or --timeout if that is longer)',
  ).argParser(parseSeconds);
}

export function planOption(): Option {
  return new Option('--plan <plan>', 'override the lane plan, if the adapter can run another one').choices(planKinds);
}

export function floatOption(): Option {
  return new Option('--float <mode>', 'f32 arithmetic: PTX’s bits, or the adapter’s own')
    .choices(['exact', 'fast'])
    .default('exact');
}

const matrixSums = 'sums of floating-point matrix products: the bits of NVIDIA’s sm_90, or f32 sums within a bound';

export function matrixOption(): Option {
  return new Option('--matrix <mode>', `${matrixSums} (default: hopper in the reference, ieee in shaders)`).choices(
    matrixModes,
  );
}

/** The option of commands that only make shaders. */
export function shaderMatrixOption(): Option {
  return new Option('--matrix <mode>', matrixSums).choices(matrixModes).default('ieee');
}
