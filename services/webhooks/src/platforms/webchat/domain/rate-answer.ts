import { withTenant } from '@botyard/shared/db/database';
import { notFound } from '@botyard/shared/http/errors';
import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../deps.ts';
import { isRateable, rateMessage } from '../store/messages.ts';
import type { Visitor } from '../store/visitors.ts';
import type { WebchatEndpoint } from './connection.ts';
import { announce } from './receive-message.ts';

/**
 * Rates an answer of an agent to this visitor, or takes the rating back: `null`. It is the same to do it twice.
 * @throws HttpError 404 for any other message, 503.
 */
export async function rateAnswer(
  deps: Deps,
  endpoint: WebchatEndpoint,
  { tenantId, visitorId }: Visitor,
  { messageId, rating }: { messageId: string; rating: 'up' | 'down' | null },
): Promise<void> {
  const answer = { tenantId, visitorId, messageId };
  if (!(await withTenant(deps.database, [tenantId], (tx) => isRateable(tx, answer))))
    throw notFound('answer');
  const ratedAt = new Date().toISOString();
  const rated = { platformChatId: visitorId, platformMessageId: messageId, rating, ratedAt };
  await deps.receive(endpoint, [{ eventId: `rating:${uuidv7()}`, rating: rated }]);
  await withTenant(deps.database, [tenantId], (tx) => rateMessage(tx, { ...answer, rating }));
  announce(deps, visitorId);
}
