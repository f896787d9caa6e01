// The `lanewise` program.
import { openConsole } from './cli/console.ts';
import { main } from './cli/main.ts';

// Node's exit code if the program awaits a promise that can never be settled, because a device or
// process has ended.
const unsettled = 13;
process.once('exit', () => {
  if (process.exitCode !== unsettled) return;
  process.stderr.write('error: what the program waits for has ended without an answer\n');
  process.exitCode = 4;
});
const console = openConsole();
process.exitCode = await console.finish(await main(process.argv.slice(2), console));
