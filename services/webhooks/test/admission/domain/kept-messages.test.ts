import { eraseTransport, findMessages, listRecentMessages } from '@botyard/contracts/events/webhook-requests';
import { messageReceived } from '@botyard/contracts/events/webhooks';
import { personIdOfAccount } from '@botyard/shared/auth/person-id';
import { ask } from '@botyard/shared/bus/requests';
import { eventually } from '@botyard/testing/eventually';
import type { TestService } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newGroupId, sayTo } from '../../chat-updates.ts';
import {
  closeWebhooksServices,
  eventsOf,
  newIntegration,
  openWebhooksServices,
  post,
  publishedAll,
  save,
  startWebhooks,
  type WebhooksServices,
} from '../../webhooks-services.ts';

let services: WebhooksServices;
let webhooks: TestService;

beforeAll(async () => {
  services = await openWebhooksServices();
  webhooks = await startWebhooks(services);
});

afterAll(() => closeWebhooksServices(services));

const quoted = { id: 7_700_000_001, is_bot: false, first_name: 'Ben' };

test('a message that quotes a person who was erased since is still found, without the quote', async () => {
  const bot = await save(services, newIntegration(services));
  const { tenantId } = bot;
  const { username } = services.messenger.bot(bot.botToken);
  const reply_to_message = { message_id: 1, from: quoted, text: 'the words of Ben' };
  const said = sayTo(username, newGroupId(), 'is that true?', { reply_to_message });
  expect((await post(webhooks, bot, said)).status).toBe(200);
  await publishedAll(services);
  const account = { platform: 'messenger', platformUserId: String(quoted.id) } as const;
  await ask(await services.harness.busAs('tenancy'), eraseTransport, {
    tenantId,
    personIds: [personIdOfAccount(tenantId, account)],
    accounts: [account],
    erasedBefore: new Date().toISOString(),
    conversations: [],
  });
  const [event] = (await eventsOf(services.harness, messageReceived)).filter(
    (one) => one.tenantId === tenantId,
  );
  const { conversationId } = event!;
  const agents = await services.harness.busAs('agents');
  const { messages } = await ask(agents, findMessages, { tenantId, conversationId, seqs: [1] });
  expect(messages).toEqual([expect.objectContaining({ seq: 1, text: 'is that true?' })]);
  expect(messages[0]).not.toHaveProperty('quote');
  await services.harness.asOwner("update webhooks.outbox set published_at = now() - interval '1 minute'");
  await eventually('its place in the stream is stored', async () => {
    const { conversations } = await ask(agents, listRecentMessages, {});
    return conversations.some((one) => one.conversationId === conversationId && one.lastSeq === 1);
  });
});
