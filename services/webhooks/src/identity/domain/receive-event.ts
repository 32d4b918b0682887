import { identityChanged } from '@botyard/contracts/events/webhooks-identity';
import { withPlatform } from '@botyard/shared/db/database';
import { failpoint } from '@botyard/shared/service/failpoint';
import type { Received } from '../../admission/domain/admission.ts';
import type { Deps } from '../deps.ts';
import { insertIdentityDelivery } from '../store/identity-deliveries.ts';
import { readIdentityEvent } from './read-event.ts';
import type { VerifiedDelivery } from './verify-delivery.ts';

/**
 * Stores and announces a verified delivery of the identity provider in one transaction, so that neither happens without
 * the other. Resolves after the commit. @throws HttpError 503 if the database doesn't answer.
 */
export async function receiveIdentityEvent(
  { admissionDatabase, outbox }: Pick<Deps, 'admissionDatabase' | 'outbox'>,
  { eventId, signedAt }: VerifiedDelivery,
  body: Buffer,
): Promise<Received> {
  const read = readIdentityEvent(body, signedAt);
  if ('malformed' in read) return { verdict: 'malformed' };
  if ('ignored' in read) return { verdict: 'ignored', reason: read.ignored };
  return await withPlatform(admissionDatabase, 'identity event', async (tx) => {
    if (!(await insertIdentityDelivery(tx, eventId))) return { verdict: 'duplicate' };
    await outbox.emit(tx, identityChanged, read.change);
    await failpoint('webhooks.identity.before-commit');
    return { verdict: 'accepted' };
  });
}
