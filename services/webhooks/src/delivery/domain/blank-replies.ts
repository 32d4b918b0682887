import { personIdOfAccount } from '@botyard/shared/auth/person-id';
import type { TenantTx } from '@botyard/shared/db/database';
import { findErased } from '@botyard/shared/db/erased-people';
import type { Deps } from '../../deps.ts';
import type { NewReply } from '../store/replies.ts';

/**
 * Replies to people who were erased since they asked keep their places, so that those after them needn't wait, and have nothing to show.
 * So do replies to places that are gone: they would be given up anyway.
 */
export async function blankErased(
  { platforms }: Pick<Deps, 'platforms'>,
  tx: TenantTx,
  replies: readonly NewReply[],
): Promise<NewReply[]> {
  const lists = [...Map.groupBy(replies, ({ platform }) => platform)].map(([platform, theirs]) =>
    platforms[platform].listRecipients(tx, theirs),
  );
  const recipients = new Map((await Promise.all(lists)).flatMap((list) => [...list]));
  const said = replies.flatMap(({ tenantId, replyId, platform, askedAt }) => {
    const platformUserId = recipients.get(replyId);
    if (platformUserId === undefined) return [];
    const personId = personIdOfAccount(tenantId, { platform, platformUserId });
    return [{ tenantId, personId, saidAt: askedAt ?? new Date(), replyId }];
  });
  const found = await findErased(tx, 'webhooks', said);
  const erased = new Set([...found].map((index) => said[index]?.replyId));
  return replies.map((reply) =>
    erased.has(reply.replyId) || !recipients.has(reply.replyId) ? blank(reply) : reply,
  );
}

const blank = (reply: NewReply): NewReply => ({
  ...reply,
  text: '',
  place: { platformChatId: '', kind: 'private', title: '' },
});
