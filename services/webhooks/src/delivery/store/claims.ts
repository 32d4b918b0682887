import type { PlatformName } from '@botyard/contracts/http/platform';
import { platformNames } from '@botyard/contracts/platform-names';
import type { PlatformTx } from '@botyard/shared/db/database';
import { typedSql } from '@botyard/shared/db/typed-sql';
import { type Allotment, allotmentValues, fairQueue, isQueueDue } from '@botyard/shared/work/fair-scheduler';
import { type ClaimedChat, claimedChat, leaseSeconds } from './chats.ts';
import { type Claimer, claimerValues, isFreeToClaim, newFence } from './sender-processes.ts';

/** True for the chats of any platform. The claim decides whether an owner is dead. */
export const isChatDue = isQueueDue('webhooks.chats');

/** The chats of each platform are a separate queue in the same table. */
const queueOf = (platform: PlatformName) =>
  fairQueue({
    table: 'webhooks.chats',
    key: 'tenant_id, bot_id, platform_chat_id',
    isFree: isFreeToClaim("q.bot_id || '/' || q.platform_chat_id"),
    isOfQueue: `q.platform = '${platform}'`,
  });

const claimOf = (due: string) => typedSql`${due} update webhooks.chats c
  set lease_until = now() + make_interval(secs => ${leaseSeconds}), owner = $processId, fence = ${newFence}
  from due where c.tenant_id = due.tenant_id and c.bot_id = due.bot_id and c.platform_chat_id = due.platform_chat_id
  returning ${claimedChat}`;

const claimTexts = new Map(
  platformNames.map((platform) => {
    const { fair, lone } = queueOf(platform);
    return [platform, { fair: claimOf(fair), lone: claimOf(lone) }] as const;
  }),
);

/**
 * Claims ready chats: fairly among tenants, and for each tenant those that have waited longest. The commit needn't be
 * durable: a crash of the database ends every claim.
 */
export async function claimChats(
  tx: PlatformTx,
  platform: PlatformName,
  allotment: Allotment,
  claimer: Claimer,
): Promise<ClaimedChat[]> {
  const values = { ...allotmentValues(allotment), ...claimerValues(claimer) };
  const text = claimTexts.get(platform)!.fair;
  return await tx.query({ name: `webhooks.chats.claim.${platform}`, text, values });
}

/** Claims more chats if only one tenant has ready ones, and none otherwise. */
export async function claimChatsOfLone(
  tx: PlatformTx,
  platform: PlatformName,
  limit: number,
  claimer: Claimer,
): Promise<ClaimedChat[]> {
  const values = { limit, ...claimerValues(claimer) };
  const text = claimTexts.get(platform)!.lone;
  return await tx.query({ name: `webhooks.chats.claim_lone.${platform}`, text, values });
}
