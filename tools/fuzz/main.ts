import { readCommandLine } from '../command-line/read-command-line.ts';
import { commandLine, readOptions } from './options.ts';

const options = readCommandLine(commandLine, readOptions);
// Loaded late: the help doesn't need it, and it takes a second.
const { runFuzz } = await import('./run-fuzz.ts');

await runFuzz(options);
