// The `lanewise` program.
import { openConsole } from './cli/console.ts';
import { main } from './cli/main.ts';

const console = openConsole();
process.exitCode = await console.finish(await main(process.argv.slice(2), console));
