import { personIdOfAccount } from '@botyard/shared/auth/person-id';
import type { TenantTx } from '@botyard/shared/db/database';
import { findErased } from '@botyard/shared/db/erased-people';
import { listCorrespondents } from '../../erasure/store/addresses.ts';
import { threadIdOf } from '../../platforms/mailgun/domain/outbound/queue-reply-mails.ts';
import type { NewReply } from '../store/replies.ts';

/**
 * Replies to people who were erased since they asked keep their places, so that those after them needn't wait, and have nothing to show.
 * So do replies to threads that are gone: they would be given up anyway.
 */
export async function blankErased(tx: TenantTx, replies: readonly NewReply[]): Promise<NewReply[]> {
  const threads = replies
    .filter(isMail)
    .map((reply) => ({ tenantId: reply.tenantId, threadId: threadIdOf(reply) }));
  const correspondents = await listCorrespondents(
    tx,
    threads.filter(({ threadId }) => threadId !== ''),
  );
  const said = replies.flatMap((reply, place) => {
    const { tenantId, platform, askedAt } = reply;
    // In private the messenger names the chat as it names the person.
    const platformUserId =
      platform === 'email' ? correspondents.get(threadIdOf(reply)) : reply.place.platformChatId;
    if (platformUserId === undefined) return [];
    const personId = personIdOfAccount(tenantId, { platform, platformUserId });
    return [{ tenantId, personId, saidAt: askedAt ?? new Date(), place }];
  });
  const found = await findErased(tx, 'webhooks', said);
  const erased = new Set([...found].map((index) => said[index]?.place));
  return replies.map((reply, place) => {
    const isGone = isMail(reply) && !correspondents.has(threadIdOf(reply));
    return isGone || erased.has(place) ? blank(reply) : reply;
  });
}

const isMail = ({ platform }: NewReply): boolean => platform === 'email';

const blank = (reply: NewReply): NewReply => ({
  ...reply,
  text: '',
  place: { platformChatId: '', kind: 'private', title: '' },
});
