/**
 * `npm run mutate`: inserts faults into a copy of the code, one at a time, and runs the test that must detect each.
 * Exits with 1 if a fault stays undetected.
 */
import { availableParallelism } from 'node:os';
import { type CommandLine, CommandLineError, parseCommandLine } from '../command-line/command-line.ts';
import { readCommandLine } from '../command-line/read-command-line.ts';
import { Copy } from './copy.ts';
import { allFaults } from './faults/all.ts';

const commandLine = {
  name: 'npm run mutate',
  about:
    'Inserts faults into a copy of the code, one at a time, and runs the test that must detect each. Exits with code 1 if a fault stays undetected.',
  arguments: [
    {
      name: 'word',
      about: 'Selects the faults whose name or file contains every word.',
      takesMany: true,
      otherwise: 'all faults',
    },
  ],
  examples: [
    { command: 'npm run mutate', about: 'all faults' },
    { command: 'npm run mutate -- services/gateway', about: 'the faults in files of one service' },
  ],
} as const satisfies CommandLine;

const wanted = readCommandLine(commandLine, (args) => {
  const { arguments: words } = parseCommandLine(commandLine, args);
  const faults = allFaults.filter(({ name, file }) =>
    words.every((word) => `${name} ${file}`.includes(word)),
  );
  if (faults.length === 0) throw new CommandLineError(`no fault matches ${JSON.stringify(words.join(' '))}`);
  return faults;
});

const copies: Copy[] = [];
let isStopped = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    isStopped = true;
    for (const copy of copies) copy.stop();
  });
try {
  console.log(`running the tests of ${wanted.length} faults without a fault…`);
  while (copies.length < Math.min(2, availableParallelism())) copies.push(await Copy.make());
  if (isStopped) throw new Error('stopped');
  const sound = await copies[0]!.test([...new Set(wanted.map(({ noticedBy }) => noticedBy))]);
  if (isStopped) throw new Error('stopped');
  if (!sound.hasPassed) throw new Error(`the tests fail without a fault: fix them first\n${sound.output}`);
  const waiting = [...wanted];
  const unnoticed: string[] = [];
  let done = 0;
  await Promise.all(
    copies.map(async (copy) => {
      for (let fault = waiting.shift(); fault; fault = waiting.shift()) {
        const { hasPassed } = await copy.with(fault, ({ noticedBy }) => copy.test([noticedBy]));
        if (isStopped) throw new Error('stopped');
        done += 1;
        if (hasPassed) unnoticed.push(`${fault.name}: ${fault.file}, not detected by ${fault.noticedBy}`);
        console.log(`${done}/${wanted.length} ${hasPassed ? 'NOT DETECTED' : 'detected'}: ${fault.name}`);
      }
    }),
  );
  console.log([`${wanted.length} faults, ${unnoticed.length} not detected`, ...unnoticed].join('\n'));
  if (unnoticed.length > 0) process.exitCode = 1;
} catch (error) {
  console.error(`mutate: ${(error as Error).message}`);
  process.exitCode = 1;
} finally {
  await Promise.all(copies.map((copy) => copy.remove()));
}
