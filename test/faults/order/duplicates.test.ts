import { afterAll, beforeAll, expect, test } from 'vitest';
import { faultless, numbered, printFigures } from '../rig/history.ts';
import { updateOf } from '../rig/load-generator.ts';
import { type ConnectedBot, type Process, TestSystem } from '../rig/test-system.ts';

const copies = 50;
const updates = 5;

let system: TestSystem;
let bot: ConnectedBot;
let instances: Process[];

beforeAll(async () => {
  system = await TestSystem.open();
  const [agents, ...webhooks] = await Promise.all([
    system.startAgents(),
    system.startWebhooks(),
    system.startWebhooks(),
  ]);
  instances = webhooks;
  bot = await system.createBot(agents);
});
afterAll(() => system?.close());

test('O-04: 50 simultaneous copies of an update, to two instances, are answered once (P5)', async () => {
  const chat = 77;
  const statuses: number[] = [];
  for (let number = 1; number <= updates; number++) {
    const update = updateOf(chat, number, numbered(String(chat), number));
    const posts = Array.from({ length: copies }, (_, index) =>
      system.post(instances[index % instances.length]!, bot, update),
    );
    statuses.push(...(await Promise.all(posts)));
    system.history.accept(String(chat), number);
  }
  await system.answered();
  // Everything that a copy might have caused has happened when this is answered.
  await system.say(instances[0]!, bot, { chat, number: updates + 1 });
  await system.answered();
  const verdict = await system.verdict();
  printFigures('O-04', { copies, ...verdict, 'model calls': system.model.requests.count });
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(verdict).toEqual({ accepted: updates + 1, ...faultless });
  expect(system.model.requests.count).toBe(updates + 1);
});
