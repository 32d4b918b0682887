import { readCommandLine } from '../command-line/read-command-line.ts';
import { commandLine, readOptions } from './options.ts';

const options = readCommandLine(commandLine, readOptions);
// What the help doesn't need takes a second to load.
const { runFuzz } = await import('./run-fuzz.ts');

await runFuzz(options);
