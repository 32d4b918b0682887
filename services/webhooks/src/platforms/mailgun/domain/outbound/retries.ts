import { maxOpenSends } from '../../../../delivery/domain/sending/send-part.ts';
import type { MailResult } from '../../clients/mailer.ts';
import type { MailOutcome } from '../../store/mail-sending.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** After each failure that may pass: 14 tries within 12 hours. */
const retryAfterMs = [2, 10, 30]
  .map((count) => count * second)
  .concat([2, 10, 20, 30, 60, 60, 120, 120, 120, 120].map((count) => count * minute));
/** Where nothing can be sent for anybody: a key that is missing or wrong. */
export const keptForMs = 5 * minute;
/** What was kept for so long is given up: its answer is no longer waited for. */
export const maxAgeMs = 72 * hour;

/** What an answer of the mailer means for the mail, after so many attempts, this one included, and sends that may have arrived. */
export function outcomeOf(
  result: MailResult,
  { attempts, openSends }: { attempts: number; openSends: number },
): MailOutcome {
  switch (result.outcome) {
    case 'ok':
      return { state: 'sent' };
    case 'limited':
      return { state: 'queued', reason: 'the mailer asks to wait', waitMs: result.retryAfterMs };
    case 'closed':
      return { state: 'queued', reason: result.reason, waitMs: keptForMs };
    case 'refused':
      return { state: 'failed', reason: result.reason };
    case 'failed': {
      const { reason, unclear: isUnclear } = result;
      const waitMs = retryAfterMs[attempts - 1];
      const isLast = waitMs === undefined || (isUnclear && openSends + 1 >= maxOpenSends);
      if (isLast) return { state: 'failed', reason, isUnclear, isAttempt: true };
      return {
        state: 'queued',
        reason,
        isUnclear,
        isAttempt: true,
        waitMs: waitMs * (0.9 + Math.random() / 5),
      };
    }
  }
}
