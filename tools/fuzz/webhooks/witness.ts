import { randomInt, randomUUID } from 'node:crypto';
import { eventually } from '@botyard/testing/eventually';
import { sign } from '../../../services/webhooks/test/idp-deliveries.ts';
import { ask } from '../house/people.ts';
import type { Violation } from '../part.ts';
import { events } from './forge/samples.ts';
import type { WebhookWorld } from './world.ts';

const withinMs = 120_000;
const promise = 'those who do no harm are served as ever';

/**
 * Checks that everything still works after the attack: a chat is answered, and a new person of the identity provider is
 * known.
 */
export async function bearWitness(world: WebhookWorld): Promise<Violation[]> {
  const checks = [chatIsAnswered, personIsKnown, everythingIsPublished].map(async (check) => {
    try {
      await check(world);
      return [];
    } catch (error) {
      return [{ promise, what: (error as Error).message, steps: [] }];
    }
  });
  return (await Promise.all(checks)).flat();
}

async function chatIsAnswered({ house: { system }, witness }: WebhookWorld): Promise<void> {
  const chatId = randomInt(2 ** 41, 2 ** 42);
  const from = { id: chatId, is_bot: false, first_name: 'Anna' };
  const chat = { id: chatId, type: 'private', first_name: 'Anna' };
  const message = { message_id: 1, from, chat, date: Math.floor(Date.now() / 1000), text: 'Hello' };
  const { status } = await fetch(`${system.gatewayUrl}/webhooks/messenger/${witness.botId}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': witness.secret },
    body: JSON.stringify({ update_id: chatId, message }),
  });
  if (status !== 200) throw new Error(`a valid update returned ${status}`);
  await system.messenger.sent.waitFor((sent) => sent.chatId === String(chatId), { timeoutMs: withinMs });
}

async function personIsKnown({ house, operatorBearer }: WebhookWorld): Promise<void> {
  const id = `user_${randomUUID().replaceAll('-', '')}`;
  const created = events.find((event) => event.type === 'user.created') as { data: object };
  const body = JSON.stringify({ ...created, data: { ...created.data, id, updated_at: Date.now() } });
  const { status } = await fetch(`${house.system.gatewayUrl}/webhooks/idp`, {
    method: 'POST',
    headers: sign(body, { secret: house.idpWebhookSecret }),
    body,
  });
  if (status !== 200) throw new Error(`a valid event returned ${status}`);
  await eventually(
    'a person of whom the identity provider tells is known',
    async () => {
      const people = await ask<{ idpUserId: string }[]>(
        house.system,
        operatorBearer,
        'GET /api/users?limit=500',
      );
      return people.some(({ idpUserId }) => idpUserId === id);
    },
    { timeoutMs: withinMs },
  );
}

async function everythingIsPublished({ house: { system } }: WebhookWorld): Promise<void> {
  await eventually(
    'everything that was taken is published',
    async () => {
      const waiting = await system.asOwner('select from webhooks.outbox where published_at is null limit 1');
      return waiting.length === 0;
    },
    { timeoutMs: withinMs },
  );
}
