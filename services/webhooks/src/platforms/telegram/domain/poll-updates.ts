import type { PolledUpdate, PollFailure } from '../../domain/polled-updates.ts';
import type { CallResult, MessengerClient } from '../clients/messenger.ts';
import type { Connection } from './connection.ts';

const maxUpdates = 100;

/** Long polling. If all pending updates are too large for one answer, they are requested one by one. */
export async function pollUpdates(
  messenger: MessengerClient,
  { botToken }: Connection,
  { offset, signal }: { offset: number | undefined; signal: AbortSignal },
): Promise<PollFailure | { updates: readonly PolledUpdate[] }> {
  const ask = (limit: number) => messenger.getUpdates(botToken, { offset, limit }, signal);
  const all = await ask(maxUpdates);
  const answer = all.outcome === 'failed' && all.isTooLarge ? await ask(1) : all;
  if (answer.outcome !== 'ok') return toFailure(answer);
  const updates = answer.result.map((update) => ({
    bytes: Buffer.from(JSON.stringify(update)),
    next: update.update_id + 1,
  }));
  return { updates };
}

const conflict = 409;

function toFailure(answer: Exclude<CallResult<unknown>, { outcome: 'ok' }>) {
  switch (answer.outcome) {
    case 'limited':
      return { reason: 'the platform asks to wait', retryInMs: answer.retryAfterMs };
    case 'failed':
      return { reason: answer.reason };
    case 'refused':
      return answer.status === conflict
        ? { reason: answer.reason, isConflict: true }
        : { reason: answer.reason, isRefused: true };
  }
}
