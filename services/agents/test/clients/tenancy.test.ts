import { admitMessages, authorizationChanged, type Refusal } from '@botyard/contracts/events/tenancy';
import type { Bus } from '@botyard/shared/bus/bus';
import { answer } from '@botyard/shared/bus/requests';
import { beforeItExpires, eventually } from '@botyard/testing/eventually';
import { ServiceHarness } from '@botyard/testing/service-harness';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { createTenancyClient, type TenancyClient } from '../../src/clients/tenancy.ts';

let harness: ServiceHarness;
let agents: Bus;
let client: TenancyClient;
/** Bots that have been asked about, in order. */
let asked: string[] = [];
/** The simulated tenancy service's answer for each bot; bots that aren't in it have no restrictions. */
const refusalOf = new Map<string, Refusal>();
/** A person whom no bot refuses. */
const admittedId = 'admitted';
/** Runs while a question is being answered, after the answer was decided. */
let meanwhile: (() => Promise<void>) | undefined;

beforeAll(async () => {
  harness = await ServiceHarness.open();
  const tenancy = await harness.busAs('tenancy');
  agents = await harness.busAs('agents');
  client = createTenancyClient(agents);
  answer(tenancy, admitMessages, async ({ botId, senders }) => {
    asked.push(botId);
    const refusal = refusalOf.get(botId);
    await meanwhile?.();
    const refusals = senders.flatMap(({ platformUserId }) =>
      refusal && platformUserId !== admittedId ? [{ platformUserId, refusal }] : [],
    );
    return { refusals, isUnrestricted: !refusal };
  });
  // The subscription has to have reached the server before anybody asks.
  await tenancy.live().connection.flush();
  await followed(newBot());
});

afterEach(() => {
  asked = [];
  refusalOf.clear();
  meanwhile = undefined;
  vi.restoreAllMocks();
});

afterAll(() => harness?.close());

const newBot = () => ({ tenantId: uuidv7(), botId: uuidv7() });
type TestBot = ReturnType<typeof newBot>;
const admit = (bot: TestBot, platformUserId = '1', tenancy = client) =>
  tenancy.admit(
    { ...bot, platform: 'messenger', place: { platformChatId: platformUserId, kind: 'private' } },
    [{ platformUserId, name: 'Anna' }],
  );
const announce = ({ tenantId }: TestBot) => harness.publish(authorizationChanged, { tenantId });
const timesAsked = ({ botId }: TestBot) => asked.filter((name) => name === botId).length;

/** Resolves when a change has made the client send a new request, which proves that it receives the announcements. */
async function followed(bot: TestBot): Promise<void> {
  await admit(bot);
  const before = timesAsked(bot);
  await announce(bot);
  await eventually('the change is heard', async () => {
    await admit(bot);
    if (timesAsked(bot) > before) return true;
    await announce(bot);
    return false;
  });
}

test('a bot that nothing restricts is asked about once, for whomever', async () => {
  const bot = newBot();
  for (const person of ['1', '2', '3']) expect(await admit(bot, person)).toEqual([null]);
  expect(timesAsked(bot)).toBe(1);
});

test('each sender gets their own reason, also one without a name and one who is named twice', async () => {
  const bot = newBot();
  refusalOf.set(bot.botId, 'muted');
  const chat = { ...bot, platform: 'messenger', place: { platformChatId: '1', kind: 'private' } } as const;
  const [anna, admitted] = ['1', admittedId].map((platformUserId) => ({ platformUserId, name: 'Anna' }));
  const senders = [anna!, admitted!, null, anna!];
  expect(await client.admit(chat, senders)).toEqual(['muted', null, 'muted', 'muted']);
});

test('simultaneous calls share one request', async () => {
  const bot = newBot();
  const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => admit(bot, `${index}`)));
  expect(answers.every(([refusal]) => refusal === null)).toBe(true);
  expect(timesAsked(bot)).toBe(1);
});

test('for a restricted bot every person is checked, also at the same time, and nothing is cached', async () => {
  const bot = newBot();
  refusalOf.set(bot.botId, 'muted');
  const people = ['1', '2', '3', '4'];
  const answers = await Promise.all(people.map((person) => admit(bot, person)));
  expect(answers).toEqual(people.map(() => ['muted']));
  refusalOf.clear();
  expect(await admit(bot)).toEqual([null]);
  expect(timesAsked(bot)).toBe(people.length + 1);
});

test('after a change the bots of its tenant are checked again, and no others', async () => {
  const [changed, untouched] = [newBot(), newBot()];
  await Promise.all([admit(changed), admit(untouched)]);
  refusalOf.set(changed.botId, 'muted');
  refusalOf.set(untouched.botId, 'muted');
  await announce(changed);
  await eventually('the mute holds', async () => (await admit(changed))[0] === 'muted', beforeItExpires);
  expect(await admit(untouched)).toEqual([null]);
});

test('an answer from before a change that was announced meanwhile is neither cached nor shared', async () => {
  const bot = newBot();
  const late = Promise.withResolvers<void>();
  meanwhile = async () => {
    meanwhile = undefined;
    refusalOf.set(bot.botId, 'muted');
    await announce(bot);
    await late.promise;
  };
  const early = admit(bot);
  const latecomers: Promise<unknown>[] = [];
  // A caller before the announcement was received waits for the early answer; a later one sends a new request.
  await eventually('somebody asks anew', () => {
    latecomers.push(admit(bot));
    return timesAsked(bot) >= 2;
  });
  const newest = latecomers.at(-1) as ReturnType<typeof admit>;
  expect(await newest).toEqual(['muted']);
  late.resolve();
  expect(await early).toEqual([null]);
  await Promise.all(latecomers);
  expect(await admit(bot)).toEqual(['muted']);
});

test('the cache is cleared when changes may have been missed', async () => {
  const bot = newBot();
  // A namespace whose stream of changes doesn't exist yet, so that following starts later.
  const namespace = `${harness.namespace}_late`;
  const [bus, answering] = await Promise.all([
    harness.busAs('agents', { namespace }),
    harness.busAs('keys', { namespace }),
  ]);
  const deaf = createTenancyClient(bus);
  let times = 0;
  answer(answering, admitMessages, async () => {
    times += 1;
    return { refusals: [], isUnrestricted: true };
  });
  await answering.live().connection.flush();
  // The first attempt to follow changes may fail only after a question, and clears the cache, too.
  const isRemembered = async () => {
    await admit(bot, '1', deaf);
    const before = times;
    await admit(bot, '1', deaf);
    return times === before;
  };
  await eventually('the answer is remembered', isRemembered);
  await harness.busAs('tenancy', { namespace });
  const before = times;
  await eventually('it is asked again', async () => {
    await admit(bot, '1', deaf);
    return times > before;
  });
});

test('nothing is remembered for longer than 30 s', async () => {
  const bot = newBot();
  await admit(bot);
  const later = performance.now() + 31_000;
  vi.spyOn(performance, 'now').mockReturnValue(later);
  await admit(bot);
  expect(timesAsked(bot)).toBe(2);
});

test('the same bot in the name of another tenant is not taken for it', async () => {
  const bot = newBot();
  await admit(bot);
  await admit({ ...bot, tenantId: uuidv7() });
  expect(timesAsked(bot)).toBe(2);
});

test('a failure is shared by all who wait for the same answer, and is not cached', async () => {
  const bot = newBot();
  meanwhile = () => Promise.reject(new Error('broken'));
  const answers = await Promise.allSettled([admit(bot), admit(bot)]);
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  meanwhile = undefined;
  expect(await admit(bot)).toEqual([null]);
});
