import type { TenantTx } from '@botyard/shared/db/database';
import type { SendResult } from '../../../platform.ts';
import type { Deps } from '../../deps.ts';
import { addToDayCounts, lockDayCounts } from '../../store/day-counts.ts';

/** Limits the wait, because the operator may raise the cap at any time. */
const maxWaitMs = 3_600_000;

/**
 * Counts a mail that the installation's account will send, for its tenant and its bot, or returns how long it has to
 * wait. The counts stay locked until the transaction ends, so that two senders can't both take the last place.
 */
export async function takePlaceOfDay(
  { mailerAccount: { perDay, perDayOfBot } }: Pick<Deps, 'mailerAccount'>,
  tx: TenantTx,
  mail: { tenantId: string; botId: string },
): Promise<SendResult | undefined> {
  const { ofTenant, ofBot } = await lockDayCounts(tx, mail);
  if (ofTenant.hits >= perDay) return waiting('tenant', perDay, ofTenant.leftMs);
  if (ofBot.hits >= perDayOfBot) return waiting('bot', perDayOfBot, ofBot.leftMs);
  await addToDayCounts(tx, mail);
  return undefined;
}

/** How long a tenant's mail without a bot has to wait; `undefined` if it may be sent. Nothing is counted yet. */
export async function whyTenantWaits(
  { mailerAccount: { perDay } }: Pick<Deps, 'mailerAccount'>,
  tx: TenantTx,
  tenantId: string,
): Promise<Waiting | undefined> {
  const { ofTenant } = await lockDayCounts(tx, { tenantId, botId: null });
  return ofTenant.hits >= perDay ? waiting('tenant', perDay, ofTenant.leftMs) : undefined;
}

interface Waiting {
  outcome: 'waits';
  reason: string;
  waitMs: number;
}

const waiting = (whose: 'tenant' | 'bot', most: number, leftMs: number): Waiting => ({
  outcome: 'waits',
  reason: `over the daily limit of ${most} mails that the installation's mail account sends for a ${whose}`,
  waitMs: Math.min(Math.max(leftMs, 1000), maxWaitMs),
});
