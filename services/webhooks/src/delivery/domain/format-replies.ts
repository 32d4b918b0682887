import type { Payload } from '../../store/schema.ts';
import type { QueueDeps } from '../deps.ts';
import type { NewReply } from '../store/replies.ts';

/**
 * The time limit for the thread's work on all replies that are queued together, including the thread's start: below the
 * time for which a transaction may be idle. Only dozens of hostile replies at once reach it, and are then sent plain.
 */
export const formattingEnds = (): AbortSignal => AbortSignal.timeout(12_000);

/** The payloads of replies in their platforms' formats, by the replies' ids. */
export async function formatReplies(
  { platforms }: Pick<QueueDeps, 'platforms'>,
  replies: readonly NewReply[],
  signal: AbortSignal,
): Promise<Map<string, readonly Payload[]>> {
  const formatted = replies.map(async ({ replyId, platform, tenantId, text: markdown }) => {
    const payloads = await platforms[platform].format({ tenantId, markdown, signal });
    return [replyId, payloads] as const;
  });
  return new Map(await Promise.all(formatted));
}
