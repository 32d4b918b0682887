import type { TenantTx } from '@botyard/shared/db/database';
import type { Deps } from '../../../../deps.ts';
import type { SendResult } from '../../../platform.ts';
import { addToDayCounts, lockDayCounts } from '../../store/day-counts.ts';

/** The operator may raise the cap at any time. */
const maxWaitMs = 3_600_000;

/**
 * Counts a mail that the installation's account is about to send, for its tenant and its bot, or says for how long it
 * waits. The counts stay locked until the transaction ends, so that no two senders take the last place.
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

/** For how long a mail of the tenant waits that is no bot's; `undefined` if it may be sent. Nothing is counted yet. */
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
  reason: `over the ${most} mails that the installation's mail account sends for a ${whose} in a day`,
  waitMs: Math.min(Math.max(leftMs, 1000), maxWaitMs),
});
