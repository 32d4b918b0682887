import { afterAll, beforeAll, expect, test } from 'vitest';
import { updateOf } from '../rig/crowd.ts';
import { faultless, numbered, tell } from '../rig/history.ts';
import { type Process, Town, type TownBot } from '../rig/town.ts';

const copies = 50;
const updates = 5;

let town: Town;
let bot: TownBot;
let instances: Process[];

beforeAll(async () => {
  town = await Town.open();
  const [agents, ...webhooks] = await Promise.all([
    town.startAgents(),
    town.startWebhooks(),
    town.startWebhooks(),
  ]);
  instances = webhooks;
  bot = await town.createBot(agents);
});
afterAll(() => town?.close());

test('O-04: 50 simultaneous copies of an update, to two instances, are answered once (P5)', async () => {
  const chat = 77;
  const statuses: number[] = [];
  for (let number = 1; number <= updates; number++) {
    const update = updateOf(chat, number, numbered(String(chat), number));
    const posts = Array.from({ length: copies }, (_, index) =>
      town.post(instances[index % instances.length]!, bot, update),
    );
    statuses.push(...(await Promise.all(posts)));
    town.history.accept(String(chat), number);
  }
  await town.answered();
  // Everything that a copy might have caused has happened when this is answered.
  await town.say(instances[0]!, bot, { chat, number: updates + 1 });
  await town.answered();
  const verdict = await town.verdict();
  tell('O-04', { copies, ...verdict, 'model calls': town.model.requests.count });
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(verdict).toEqual({ accepted: updates + 1, ...faultless });
  expect(town.model.requests.count).toBe(updates + 1);
});
