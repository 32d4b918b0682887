import { personIdOfAccount } from '@botyard/shared/auth/person-id';
import type { TenantTx } from '@botyard/shared/db/database';
import { findErased } from '@botyard/shared/db/erased-people';
import type { QueueDeps } from '../deps.ts';
import type { NewReply } from '../store/replies.ts';

/** The recipient of each reply, by the reply's id. A reply without one can no longer be delivered. */
export async function listRecipients(
  { platforms }: Pick<QueueDeps, 'platforms'>,
  tx: TenantTx,
  replies: readonly NewReply[],
): Promise<Map<string, string>> {
  const lists = [...Map.groupBy(replies, ({ platform }) => platform)].map(([platform, theirs]) =>
    platforms[platform].listRecipients(tx, theirs),
  );
  const recipients = new Map((await Promise.all(lists)).flatMap((list) => [...list]));
  const people = replies.flatMap(({ tenantId, replyId, platform }) => {
    const platformUserId = recipients.get(replyId);
    if (platformUserId === undefined) return [];
    return [[replyId, personIdOfAccount(tenantId, { platform, platformUserId })] as const];
  });
  return new Map(people);
}

/**
 * Blanks replies to people who were erased since they asked, and replies that can no longer be delivered. They keep
 * their positions, so that later replies needn't wait, but have no content. Returns them by their ids.
 */
export async function blankErased(
  tx: TenantTx,
  replies: readonly NewReply[],
  recipients: ReadonlyMap<string, string>,
): Promise<Map<string, NewReply>> {
  const said = replies.flatMap(({ tenantId, replyId, askedAt }) => {
    const personId = recipients.get(replyId);
    return personId === undefined ? [] : [{ tenantId, personId, saidAt: askedAt ?? new Date(), replyId }];
  });
  const erased = new Set([...(await findErased(tx, 'webhooks', said))].map((index) => said[index]?.replyId));
  const blanked = replies.filter(({ replyId }) => erased.has(replyId) || !recipients.has(replyId));
  return new Map(blanked.map((reply) => [reply.replyId, blank(reply)]));
}

const blank = (reply: NewReply): NewReply => ({
  ...reply,
  text: '',
  place: { platformChatId: '', kind: 'private', title: '' },
});
