// Explains why the page cannot run its text.
import type { AppState } from '../state.ts';
import type { Message } from './messages.ts';

/** Returns the reason. `messages` are the messages about the text. */
export function runProblem({ text, cuda }: Pick<AppState, 'text' | 'cuda'>, messages: readonly Message[]): string {
  if (text.trim() === '') {
    return cuda.trim() === ''
      ? 'Nothing to run: the PTX is empty. Paste PTX, or paste CUDA C++ and compile it.'
      : 'Nothing to run: the PTX is empty. Compile the CUDA source first.';
  }
  const error = messages.find(({ severity }) => severity === 'error');
  if (error === undefined) return 'Nothing to run: the page has not read the text.';
  return `Nothing to run: ${error.text} (${error.code}).${error.hint === undefined ? '' : ` ${error.hint}`}`;
}
