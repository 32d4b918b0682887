import { randomInt, randomUUID } from 'node:crypto';
import { eventually } from '@botyard/testing/eventually';
import { sign } from '../../../services/webhooks/test/idp-deliveries.ts';
import { ask } from '../../rig/people.ts';
import type { Violation } from '../part.ts';
import type { WebhookFixture } from './fixture.ts';
import { events } from './forge/samples.ts';

const withinMs = 120_000;
const promise = 'those who do no harm are served as ever';

/**
 * Checks that everything still works after the attack: a chat is answered, and a new person of the identity provider is
 * known.
 */
export async function checkControlTraffic(fixture: WebhookFixture): Promise<Violation[]> {
  const checks = [chatIsAnswered, personIsKnown, everythingIsPublished].map(async (check) => {
    try {
      await check(fixture);
      return [];
    } catch (error) {
      return [{ promise, what: (error as Error).message, steps: [] }];
    }
  });
  return (await Promise.all(checks)).flat();
}

async function chatIsAnswered({ installation: { system }, controlBot }: WebhookFixture): Promise<void> {
  const chatId = randomInt(2 ** 41, 2 ** 42);
  const from = { id: chatId, is_bot: false, first_name: 'Anna' };
  const chat = { id: chatId, type: 'private', first_name: 'Anna' };
  const message = { message_id: 1, from, chat, date: Math.floor(Date.now() / 1000), text: 'Hello' };
  const { status } = await fetch(`${system.gatewayUrl}/webhooks/messenger/${controlBot.botId}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': controlBot.secret },
    body: JSON.stringify({ update_id: chatId, message }),
  });
  if (status !== 200) throw new Error(`a valid update returned ${status}`);
  await system.messenger.sent.waitFor((sent) => sent.chatId === String(chatId), { timeoutMs: withinMs });
}

async function personIsKnown({ installation, operatorBearer }: WebhookFixture): Promise<void> {
  const id = `user_${randomUUID().replaceAll('-', '')}`;
  const created = events.find((event) => event.type === 'user.created') as { data: object };
  const body = JSON.stringify({ ...created, data: { ...created.data, id, updated_at: Date.now() } });
  const { status } = await fetch(`${installation.system.gatewayUrl}/webhooks/idp`, {
    method: 'POST',
    headers: sign(body, { secret: installation.idpWebhookSecret }),
    body,
  });
  if (status !== 200) throw new Error(`a valid event returned ${status}`);
  await eventually(
    'a person of whom the identity provider tells is known',
    async () => {
      const people = await ask<{ idpUserId: string }[]>(
        installation.system,
        operatorBearer,
        'GET /api/users?limit=500',
      );
      return people.some(({ idpUserId }) => idpUserId === id);
    },
    { timeoutMs: withinMs },
  );
}

async function everythingIsPublished({ installation: { system } }: WebhookFixture): Promise<void> {
  await eventually(
    'everything that was taken is published',
    async () => {
      const waiting = await system.asOwner('select from webhooks.outbox where published_at is null limit 1');
      return waiting.length === 0;
    },
    { timeoutMs: withinMs },
  );
}
