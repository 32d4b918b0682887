import { readFile, writeFile } from 'node:fs/promises';
import { eventually } from '@botyard/testing/eventually';
import { startFlood } from '@botyard/testing/flood';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tell } from '../rig/history.ts';
import { type Process, Town } from '../rig/town.ts';

const isFull = process.env.BOTYARD_FAULTS === 'full';
const chats = isFull ? 64 : 8;
const megabyte = 1024 * 1024;
/** Half of the pod's limit; a single answer would exceed it. */
const maxGrowth = 256 * megabyte;

let town: Town;
let webhooks: Process;

beforeAll(async () => {
  town = await Town.open();
  webhooks = await town.startWebhooks();
});
afterAll(() => town?.close());

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
    const agents = await town.startAgents({ PRIVATE_LLM_BASE_URL: `${flood.url}/v1` });
    const bot = await town.createBot(agents);
    const before = town.history.answerCount;
    await town.say(webhooks, bot, { chat: 1, number: 1 });
    await eventually('the first one is told', () => town.history.answerCount === before + 1);
    await forgetPeak(agents);
    const usual = await peakBytes(agents);
    const everybody = Array.from({ length: chats }, (_, index) => index + 2);
    await Promise.all(everybody.map((chat) => town.say(webhooks, bot, { chat, number: 1 })));
    const told = before + 1 + chats;
    await eventually('everybody is told', () => town.history.answerCount === told);
    const growth = (await peakBytes(agents)) - usual;
    tell('F-41', {
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
