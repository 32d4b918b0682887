import type { DataOf } from '@botyard/contracts/events/definition';
import type { replyRated } from '@botyard/contracts/events/webhooks';
import type { TenantTx } from '@botyard/shared/db/database';
import type { StoredReaction, StoredReactions } from '../../store/stored-reactions.ts';
import { lockRatedReply, type StoredRating, updateRating } from '../store/ratings.ts';

type Rated = DataOf<typeof replyRated>;

/**
 * Saves how a person rated an answer of an agent, in whichever order the changes arrive. In a chat of several people
 * only the one who asked rates it. The outcomes of its session are decided again.
 */
export async function saveRating(tx: TenantTx, rated: Rated): Promise<void> {
  const reply = await lockRatedReply(tx, rated);
  if (!reply) return;
  const { platformUserId, reaction } = rated;
  if (platformUserId !== undefined && platformUserId !== reply.askerId) return;
  const changed =
    reaction === undefined ? withRating(reply, rated) : withReaction(reply, { ...rated, reaction });
  if (changed) await updateRating(tx, { ...rated, ...changed });
}

function withRating({ ratedAt: before }: StoredRating, { rating, ratedAt }: Rated): StoredRating | undefined {
  const at = new Date(ratedAt);
  if (before !== null && before > at) return undefined;
  return { rating, ratedAt: at, reactions: null };
}

/** The newest of the person's thumbs counts. */
function withReaction(
  { reactions, ratedAt: before }: StoredRating,
  { reaction, rating, ratedAt }: Rated & { reaction: string },
): StoredRating | undefined {
  const newest = reactions?.[reaction];
  if (newest && newest.at > ratedAt) return undefined;
  const changed: StoredReactions = { ...reactions, [reaction]: { rating, at: ratedAt } };
  const at = new Date(ratedAt);
  return {
    rating: newestOf(Object.values(changed)),
    ratedAt: before !== null && before > at ? before : at,
    reactions: changed,
  };
}

const newestOf = (reactions: readonly StoredReaction[]): StoredReaction['rating'] =>
  reactions.reduce<StoredReaction | undefined>(
    (newest, one) => (one.rating !== null && (!newest || one.at > newest.at) ? one : newest),
    undefined,
  )?.rating ?? null;
