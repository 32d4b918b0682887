import { eventually } from '@botyard/testing/eventually';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import {
  type AgentsServices,
  Chat,
  createBot,
  openAgentsServices,
  question,
  type TestBot,
} from '../../agents-services.ts';

/** A fifth of these are 2. */
const slots = 10;
let services: AgentsServices;
let flooding: TestBot;
let other: TestBot;

beforeAll(async () => {
  services = await openAgentsServices({ AGENTS_MAX_CONCURRENT_TURNS: String(slots) });
  flooding = await createBot(services, services.acme);
  other = await createBot(services, services.other);
});
afterEach(() => services.model.release());
afterAll(() => services?.close());

/** Questions that the model was asked since, by the first word. */
function askedSince(from: number): Record<string, number> {
  const words = services.model.requests.all.slice(from).map((request) => question(request).split(' ')[0]!);
  return Object.fromEntries([...Map.groupBy(words, (word) => word)].map(([word, all]) => [word, all.length]));
}

const sayInNewChats = (bot: TestBot, word: string, count: number) =>
  Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const chat = new Chat(services, bot);
      await chat.say(`${word} ${index}`);
      return chat;
    }),
  );

test('a tenant that waits alone has all slots; a later tenant is answered while its slow turns continue', async () => {
  const { model } = services;
  model.hang();
  const from = model.requests.count;
  const flood = await sayInNewChats(flooding, 'flood', 30);
  await eventually('all slots are taken', () => model.pending === slots);
  const late = await sayInNewChats(other, 'late', 5);
  await eventually('the other tenant has its share', () => model.pending === slots + slots / 5);
  expect(askedSince(from)).toEqual({ flood: slots, late: slots / 5 });
  model.release();
  await Promise.all([...flood, ...late].map((chat) => chat.answers(1)));
  await Promise.all([...flood, ...late].map((chat) => chat.isIdle()));
  expect(askedSince(from)).toEqual({ flood: 30, late: 5 });
});

test('while several wait, each has a fifth of the slots at most', async () => {
  const { model, harness } = services;
  // Held by nobody, and ready together.
  await harness.asOwner(`create function agents.test_hold() returns trigger language plpgsql as
    $$ begin new.lease_until = now() + interval '1 hour'; return new; end $$;
    create trigger test_hold before insert on agents.conversations for each row execute function agents.test_hold()`);
  const chats = [
    ...(await sayInNewChats(flooding, 'flood', 30)),
    ...(await sayInNewChats(other, 'other', 30)),
  ];
  await harness.settled('agents', 'webhooks');
  model.hang();
  const from = model.requests.count;
  await harness.asOwner(`drop function agents.test_hold cascade;
    update agents.conversations set lease_until = null where ready_at is not null`);
  await eventually('both are at work', () => model.pending >= (2 * slots) / 5);
  const nobodyTookMore = () => expect(askedSince(from)).toEqual({ flood: slots / 5, other: slots / 5 });
  nobodyTookMore();
  // Two claims later, too.
  const [probe] = await sayInNewChats(other, 'other', 1);
  await harness.settled('agents', 'webhooks');
  nobodyTookMore();
  model.release();
  await Promise.all([...chats, probe!].map((chat) => chat.answers(1)));
});
