import { readCommandLine } from '../command-line/read-command-line.ts';
import { commandLine, readOptions } from './options.ts';

const options = readCommandLine(commandLine, readOptions);
// What the help doesn't need takes a second to load.
const { runBench } = await import('./run-bench.ts');

await runBench(options);
