/** Prints the way of a message, or of one parameter of one function, through the files: `npm run walk`. */
import { readCommandLine } from '../command-line/read-command-line.ts';
import type { Stay } from './walk.ts';

const {
  arguments: [start],
} = readCommandLine({
  name: 'npm run walk',
  about:
    'Prints the files and functions that a message passes, in the order of the calls. ↩ marks a return to a file that was left before.',
  arguments: [
    {
      name: 'start',
      about: 'path:function, or path:function:parameter to follow one parameter.',
      otherwise: 'the way of a message',
    },
  ],
  examples: [
    { command: 'npm run walk', about: 'from a delivery of a platform to the send of the answer' },
    {
      command: 'npm run walk -- services/agents/src/turns/domain/run-turn.ts:runTurn:conversation',
      about: 'the turn alone, along its conversation',
    },
  ],
});
// Imported late, because parsing all sources takes a second and the help doesn't need it.
const { productionSources } = await import('../../test/support/sources.ts');
const { Program } = await import('./program.ts');
const { walk } = await import('./walk.ts');

const messagePath = [
  'services/webhooks/src/admission/domain/receive-body.ts:receiveBody',
  'services/agents/src/intake/consumers/on-message-received.ts:onMessageReceived',
  'services/agents/src/turns/domain/run-turn.ts:runTurn:conversation',
  'services/webhooks/src/delivery/consumers/on-reply-created.ts:onReplyCreated',
  'services/webhooks/src/delivery/domain/sender.ts:createSender',
];
const starts = start ? [start] : messagePath;
const program = new Program(productionSources());
const all: Stay[] = [];
for (const start of starts) {
  const [path = '', name = '', parameter] = start.split(':');
  const stays = walk(program, program.find(path, name), parameter);
  all.push(...stays);
  process.stdout.write(`\n${start}\n${linesOf(stays)}${countsOf(stays)}\n`);
}
process.stdout.write(`\nin all: ${countsOf(all)}\n`);

/** A line for each stay; `↩` marks a return to a file that was left before. */
function linesOf(stays: readonly Stay[]): string {
  const seen = new Set<string>();
  return stays
    .map(({ path, functions }) => {
      const sign = seen.has(path) ? '↩' : ' ';
      seen.add(path);
      return `${sign} ${path}  ${functions.map(({ name, line }) => `${name}:${line}`).join(' ')}\n`;
    })
    .join('');
}

function countsOf(stays: readonly Stay[]): string {
  const files = new Set(stays.map(({ path }) => path)).size;
  const code = new Map(stays.flatMap((stay) => stay.functions.map((one) => [one.node, one])));
  const statements = [...code.values()].filter(({ isStatement }) => isStatement).length;
  const functions = `${code.size - statements} functions, ${statements} statements`;
  return `${stays.length} stays, ${stays.length - files} returns, ${functions}, ${files} files`;
}
