import { backoffMs } from '@botyard/shared/bus/dead-letters';
import { HttpError } from '@botyard/shared/http/errors';
import type { Log } from '@botyard/shared/log/log';
import type { FailedCall } from '../clients/reach-log.ts';
import type { Platform, SendResult } from '../platform.ts';

const outageWaitMs = 1000;

/** The integration of a message, as `read` finds it; or the message's outcome if it is gone or can't be read now. */
export async function findForSend<Address extends object>(
  log: Log,
  botId: string,
  read: () => Promise<Address | null>,
): Promise<Address | SendResult> {
  try {
    return (await read()) ?? { outcome: 'refused', reason: 'the integration was deleted' };
  } catch (error) {
    log.warn({ err: error, botId }, 'could not read the integration of a reply');
    const reason = 'the integration could not be read';
    if (error instanceof HttpError) return { outcome: 'waits', reason, waitMs: outageWaitMs };
    return { outcome: 'failed', reason, isUnclear: false };
  }
}

/** The result of a send that the platform neither carried out nor refused. */
export function unsent(answer: FailedCall | { outcome: 'limited'; retryAfterMs: number }): SendResult {
  if (answer.outcome === 'limited') {
    const reason = 'the platform asks to wait';
    return { outcome: 'waits', waitMs: answer.retryAfterMs, reason, isAsked: true };
  }
  const { reason, unclear: isUnclear, isUnreached = false } = answer;
  return { outcome: 'failed', reason, isUnclear, isUnreached };
}

/** Nothing was shown, even if the call was carried out. */
export const unseen = (result: SendResult): SendResult =>
  result.outcome === 'failed' ? { ...result, isUnclear: false } : result;

/** A retry after a growing wait, as long as the reply is worth it. */
export const backOff: Platform['retryInMs'] = (attempts, worthMs) => {
  const waitMs = backoffMs(attempts);
  return waitMs < worthMs ? waitMs : undefined;
};

/** The recipients of replies whose place is that of the recipient. */
export const placesAsRecipients: Platform['listRecipients'] = async (_tx, replies) =>
  new Map(replies.map(({ replyId, place }) => [replyId, place.platformChatId]));
