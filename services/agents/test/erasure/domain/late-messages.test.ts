import { randomInt, randomUUID } from 'node:crypto';
import { personIdOfAccount } from '@botyard/shared/auth/person-id';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type AgentsServices,
  Chat,
  createBot,
  openAgentsServices,
  type TestBot,
} from '../../agents-services.ts';

let services: AgentsServices;
let bot: TestBot;
beforeAll(async () => {
  services = await openAgentsServices();
  bot = await createBot(services, services.acme);
});
afterAll(() => services?.close());

/** Somebody's private chat with the bot. The person was erased at this moment. */
async function chatOfErased() {
  const platformUserId = String(randomInt(1e9));
  const { tenantId } = services.acme;
  await services.harness.asOwner(
    'insert into agents.erased_people (tenant_id, person_id, erased_before) values ($1, $2, now())',
    [tenantId, personIdOfAccount(tenantId, { platform: 'messenger', platformUserId })],
  );
  const chat = new Chat(services, bot);
  const sent = (receivedAt: Date) => ({
    sender: { platformUserId, name: 'Ann' },
    chat: { platformChatId: platformUserId, kind: 'private' as const, title: 'Ann' },
    receivedAt: receivedAt.toISOString(),
  });
  return { chat, before: sent(new Date(Date.now() - 60_000)), after: sent(new Date(Date.now() + 60_000)) };
}

test('a late message of an erased person restores nothing, and later messages do not wait for it', async () => {
  const { chat, before, after } = await chatOfErased();
  await chat.say('an old word', before);
  await services.harness.settled('agents', 'webhooks');
  expect(await chat.written()).toMatchObject([{ text: '', status: 'ignored' }]);
  const peopleOfChat = 'select from agents.people where conversation_id = $1';
  expect(await services.harness.asOwner(peopleOfChat, [chat.conversationId])).toEqual([]);
  await chat.say('a new word', after);
  expect(await chat.answers(1)).toEqual(['re: a new word']);
});

test('a message of a tenant that was deleted brings nothing back', async () => {
  const tenantId = randomUUID();
  await services.harness.asOwner('insert into agents.deleted_tenants (tenant_id) values ($1)', [tenantId]);
  await new Chat(services, bot).say('an old word', { tenantId });
  await services.harness.settled('agents', 'webhooks');
  const kept = 'select from agents.conversations where tenant_id = $1';
  expect(await services.harness.asOwner(kept, [tenantId])).toEqual([]);
});
