import { readFile, writeFile } from 'node:fs/promises';
import { eventually } from '@botyard/testing/eventually';
import { startFlood } from '@botyard/testing/flood';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { printFigures } from '../rig/history.ts';
import { type Process, TestSystem } from '../rig/test-system.ts';

const isFull = process.env.BOTYARD_FAULTS === 'full';
const chats = isFull ? 64 : 8;
const megabyte = 1024 * 1024;
/** Half of the pod's limit; a single answer would exceed it. */
const maxGrowth = 256 * megabyte;

let system: TestSystem;
let webhooks: Process;

beforeAll(async () => {
  system = await TestSystem.open();
  webhooks = await system.startWebhooks();
});
afterAll(() => system?.close());

/** The most memory that the process has had since `forgetPeak`. */
async function peakBytes({ pid }: Process): Promise<number> {
  const [, kib] = /^VmHWM:\s+(\d+) kB/m.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) * 1024;
}
const forgetPeak = ({ pid }: Process) => writeFile(`/proc/${pid}/clear_refs`, '5');

test.each([
  ['plain', false],
  ['packed', true],
])(
  'F-41: models answer with 300 MB, %s: agents’ memory stays bounded, and everybody gets an apology',
  async (name, isGzip) => {
    const flood = await startFlood({ isGzip });
    const agents = await system.startAgents({ PRIVATE_LLM_BASE_URL: `${flood.url}/v1` });
    const bot = await system.createBot(agents);
    const before = system.history.answerCount;
    await system.say(webhooks, bot, { chat: 1, number: 1 });
    await eventually('the first one is told', () => system.history.answerCount === before + 1);
    await forgetPeak(agents);
    const usual = await peakBytes(agents);
    const otherChats = Array.from({ length: chats }, (_, index) => index + 2);
    await Promise.all(otherChats.map((chat) => system.say(webhooks, bot, { chat, number: 1 })));
    const expected = before + 1 + chats;
    await eventually('every chat is answered', () => system.history.answerCount === expected);
    const growth = (await peakBytes(agents)) - usual;
    printFigures('F-41', {
      answers: chats,
      body: name,
      'requests to the model': flood.requests,
      'megabytes of memory before': Math.round(usual / megabyte),
      'megabytes of growth': Math.round(growth / megabyte),
    });
    expect(growth).toBeLessThan(maxGrowth);
    expect(flood.requests).toBe(2 * (chats + 1));
    await agents.stop();
    await flood.close();
  },
);
