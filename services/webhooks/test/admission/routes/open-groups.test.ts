import { randomInt } from 'node:crypto';
import { type GroupState, groupSaved } from '@botyard/contracts/events/agents';
import { messageReceived } from '@botyard/contracts/events/webhooks';
import { beforeItExpires, eventually } from '@botyard/testing/eventually';
import type { TestService } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  closeWebhooksServices,
  eventsOf,
  type Integration,
  newIntegration,
  openWebhooksServices,
  post,
  save,
  startWebhooks,
  type WebhooksServices,
} from '../../webhooks-services.ts';

let services: WebhooksServices;
let instances: TestService[];
let bot: Integration;

beforeAll(async () => {
  services = await openWebhooksServices();
  instances = [await startWebhooks(services), await startWebhooks(services)];
  bot = await save(services, newIntegration(services));
});

afterAll(() => closeWebhooksServices(services));

const newChat = () => -randomInt(1e9, 1e10);

/** Whether a message in a group that isn't addressed to anybody becomes an event, when an instance receives it. */
async function isTaken(instance: TestService, chatId: number): Promise<boolean> {
  const id = randomInt(1, 2 ** 40);
  const message = {
    message_id: id,
    from: { id: 5, is_bot: false, first_name: 'Anna' },
    chat: { id: chatId, type: 'supergroup', title: 'Team' },
    date: 1_795_200_000,
    text: 'lunch?',
  };
  const answer = await post(instance, bot, { update_id: id, message });
  expect(answer.status).toBe(200);
  const rows = await services.harness.asOwner('select from webhooks.deliveries where event_id = $1', [
    String(id),
  ]);
  return rows.length > 0;
}

async function setRule(chatId: number, rule: Partial<GroupState>): Promise<void> {
  const { tenantId, botId } = bot;
  const state = { tenantId, botId, platformChatId: String(chatId), answersWhen: 'always' as const };
  await services.harness.publish(groupSaved, { ...state, topics: null, revision: 1, ...rule });
}

test('a group that is opened or closed is so in every instance', async () => {
  const chatId = newChat();
  const isAt = (wanted: boolean) => () =>
    Promise.all(instances.map((one) => isTaken(one, chatId))).then((all) =>
      all.every((one) => one === wanted),
    );
  expect(await isAt(false)()).toBe(true);
  await setRule(chatId, { revision: 2 });
  await eventually('both instances take it', isAt(true), beforeItExpires);
  await setRule(chatId, { answersWhen: 'addressed', revision: 3 });
  await eventually('neither instance takes it', isAt(false), beforeItExpires);
  const events = await eventsOf(services.harness, messageReceived);
  expect(events.filter(({ chat }) => chat.platformChatId === String(chatId))).toSatisfy(
    (found: { isAddressed?: boolean }[]) => found.every(({ isAddressed }) => isAddressed === false),
  );
});

test('a late announcement undoes nothing', async () => {
  const chatId = newChat();
  await setRule(chatId, { revision: 3 });
  await setRule(chatId, { answersWhen: 'never', revision: 2 });
  await services.harness.settled('webhooks', 'agents');
  await eventually('it is taken', () => isTaken(instances[0]!, chatId));
});

test("a flood of messages that address nobody is accepted at a group's pace, and the rest is counted", async () => {
  const chatId = newChat();
  await setRule(chatId, {});
  await services.harness.settled('webhooks', 'agents');
  await eventually('it is taken', () => isTaken(instances[0]!, chatId));
  const taken = await Promise.all(Array.from({ length: 60 }, () => isTaken(instances[0]!, chatId)));
  expect(taken.filter(Boolean).length).toBeLessThanOrEqual(22);
  expect(taken.filter(Boolean).length).toBeGreaterThanOrEqual(17);
});

test("another tenant's rule for the same bot and chat opens nothing", async () => {
  const chatId = newChat();
  const stranger = newIntegration(services);
  await setRule(chatId, { tenantId: stranger.tenantId, revision: 9 });
  await services.harness.settled('webhooks', 'agents');
  expect(await isTaken(instances[0]!, chatId)).toBe(false);
});
