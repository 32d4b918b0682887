import type { findMessages, listRecentMessages } from '@botyard/contracts/events/webhook-requests';
import { messageReceived } from '@botyard/contracts/events/webhooks';
import { withPlatform } from '@botyard/shared/db/database';
import type { z } from 'zod';
import type { Deps } from '../deps.ts';
import { listKeptMessages, listNewestMessages } from '../store/kept-messages.ts';

/** Finds messages whose events didn't arrive, by their positions; only those of this tenant's conversation. */
export async function findKeptMessages(
  { database, bus }: Pick<Deps, 'database' | 'bus'>,
  { tenantId, conversationId, seqs }: z.output<typeof findMessages.request>,
): Promise<z.input<typeof findMessages.response>> {
  const subject = bus.names.event(messageReceived, { tenantId, conversationId });
  const rows = await withPlatform(database, 'messages whose events did not arrive', (tx) =>
    listKeptMessages(tx, subject, seqs),
  );
  const messages = rows.map(({ data }) => messageReceived.schema.parse(JSON.parse(data)));
  const own = messages.filter((one) => one.tenantId === tenantId && one.conversationId === conversationId);
  return { messages: own };
}

/** The newest positions of conversations with recent messages. */
export async function listRecent({
  database,
  bus,
}: Pick<Deps, 'database' | 'bus'>): Promise<z.input<typeof listRecentMessages.response>> {
  const anywhere = bus.names.event(messageReceived, {});
  const prefix = anywhere.slice(0, anywhere.lastIndexOf('._._') + 1);
  const rows = await withPlatform(database, 'messages whose events did not arrive', (tx) =>
    listNewestMessages(tx, prefix),
  );
  const conversations = rows.map(({ subject, lastSeq, streamSeq }) => ({
    tenantId: bus.names.tenantOf(subject),
    conversationId: subject.split('.').at(-1) ?? '',
    lastSeq,
    streamSeq,
  }));
  return { conversations };
}
