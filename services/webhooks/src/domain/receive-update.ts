import { messageReceived } from '@botyard/shared/events/webhooks';
import { v5 as uuidv5, v7 as uuidv7 } from 'uuid';
import type { Deps } from '../deps.ts';
import type { Endpoint } from './endpoints/endpoints.ts';
import { readUpdate } from './messenger/read-update.ts';

/** What became of an update; an ignored one is accepted all the same, and its reason counted. */
export type Received = { verdict: 'accepted' | 'duplicate' | 'ignored' | 'malformed'; reason?: string };

/** Namespace of conversation identifiers: the same bot, chat and topic give the same one for ever. */
const conversationNamespace = '5b0f6a1e-6f6c-4b5b-9a53-2f7f0f6a3c11';

/**
 * Takes a verified update of the messenger in (specification 6). Resolves after the commit.
 * @throws HttpError 503 when the database doesn't answer.
 */
export async function receiveUpdate(
  { admission, outbox }: Pick<Deps, 'admission' | 'outbox'>,
  endpoint: Endpoint,
  body: unknown,
): Promise<Received> {
  const update = readUpdate(body, endpoint);
  if ('malformed' in update) return { verdict: 'malformed' };
  if ('ignored' in update) return { verdict: 'ignored', reason: update.ignored };
  if (!endpoint.isEnabled) return { verdict: 'ignored', reason: 'integration disabled' };
  const { tenantId, botId, integrationId } = endpoint;
  const { chat } = update.message;
  const deliveryId = uuidv7();
  const conversationId = uuidv5(
    `${botId}/${chat.platformChatId}/${chat.threadId ?? ''}`,
    conversationNamespace,
  );
  const event = outbox.draft(messageReceived, {
    ...update.message,
    tenantId,
    botId,
    integrationId,
    deliveryId,
    conversationId,
    platform: 'messenger',
    receivedAt: new Date().toISOString(),
  });
  const { eventId } = update;
  return {
    verdict: await admission.admit({
      tenantId,
      source: 'messenger',
      botId,
      eventId,
      deliveryId,
      conversationId,
      event,
    }),
  };
}
