// Records launches and other commands, and their named arguments.

import type { KernelArgument } from './launch/arguments.ts';
import type { ParameterShape } from './launch/signature.ts';
import type { LaunchRequest } from './launch-request.ts';

/**
 * An argument of a recorded launch that a replay may change. The callback of `Runtime.record`
 * creates it.
 */
export class NamedArgument<Value extends KernelArgument = KernelArgument> {
  /** The name that a replay uses. */
  readonly name: string;
  /** Only a type: it makes named arguments of different types incompatible. */
  declare readonly type?: Value;

  /** @internal */
  constructor(name: string) {
    this.name = name;
  }
}

/** A recorded launch. */
export interface RecordedLaunch {
  readonly parameters: readonly ParameterShape[];
  readonly args: readonly (KernelArgument | NamedArgument)[];
  /**
   * Returns the request. Throws TypeError for arguments that do not fit the kernel's parameters.
   */
  readonly requestOf: (args: readonly KernelArgument[]) => LaunchRequest;
}

/**
 * A recorded command.
 * - `launch`: a launch of a kernel
 * - `run`: any other command, as a function that executes the command
 */
export type RecordedStep =
  | { readonly launch: RecordedLaunch }
  | { readonly launch?: undefined; readonly run: () => void };

export class Recorder {
  readonly steps: RecordedStep[] = [];
  readonly values = new Map<string, KernelArgument>();

  /** Names an argument. Throws RangeError if the name already has another value. */
  name<Value extends KernelArgument>(name: string, value: Value): NamedArgument<Value> {
    if (this.values.has(name) && this.values.get(name) !== value)
      throw new RangeError(`the argument \`${name}\` already has a value`);
    this.values.set(name, value);
    return new NamedArgument<Value>(name);
  }

  launch(launch: RecordedLaunch): void {
    launch.requestOf(valuesOf(launch.args, this.values));
    this.steps.push({ launch });
  }

  command(run: () => void): void {
    this.steps.push({ run });
  }
}

export const areUnnamed = (args: RecordedLaunch['args']): args is readonly KernelArgument[] =>
  !args.some((argument) => argument instanceof NamedArgument);

/** Returns the values of arguments. Throws RangeError for the name of another recording. */
export function valuesOf(
  args: RecordedLaunch['args'],
  values: ReadonlyMap<string, KernelArgument>,
): readonly KernelArgument[] {
  return args.map((argument) => {
    if (!(argument instanceof NamedArgument)) return argument;
    const value = values.get(argument.name);
    if (value === undefined) throw new RangeError(`the argument \`${argument.name}\` belongs to another recording`);
    return value;
  });
}
