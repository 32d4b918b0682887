import { withTenant } from '@botyard/shared/db/database';
import { failpoint } from '@botyard/shared/service/failpoint';
import type { Send, SendResult } from '../../platform.ts';
import type { Deps } from '../deps.ts';
import { addPart } from '../store/messages.ts';
import type { WebchatPart } from './format-parts.ts';
import { announce } from './receive-message.ts';

/**
 * A part is sent when its row is committed: windows read it from there, at once or when they are open again. A part
 * that is sent twice is one row.
 */
export async function sendPart(deps: Deps, send: Send<WebchatPart>): Promise<SendResult | undefined> {
  const { tenantId, platformChatId: visitorId, partId, payload } = send;
  if (!(await send.mayCall())) return undefined;
  const part = { tenantId, visitorId, partId, text: payload.markdown };
  try {
    await failpoint('webhooks.webchat.before-part');
    const isAdded = await withTenant(deps.database, [tenantId], (tx) => addPart(tx, part));
    if (!isAdded) return { outcome: 'refused', reason: 'the visitor no longer exists', isOfPlace: true };
  } catch {
    // It is sent again as often as needed: the row can't come twice.
    return { outcome: 'failed', reason: 'the database does not answer', isUnclear: false };
  }
  announce(deps, visitorId);
  return { outcome: 'sent', platformMessageId: partId };
}
