import { readCommandLine } from '../command-line/read-command-line.ts';
import { commandLine, readOptions } from './options.ts';

const options = readCommandLine(commandLine, readOptions);
// Imported late, because it takes a second and the help doesn't need it.
const { runAttacks } = await import('./run-attacks.ts');

await runAttacks(options);
