import { eraseFromStream, type Fate } from '@botyard/shared/bus/erase-events';
import { withPlatform } from '@botyard/shared/db/database';
import { eraseDeadLetters, throughOutbox } from '@botyard/shared/db/erase-bus-rows';
import type { Deps } from '../deps.ts';
import { eraseOutbox, type PrivateTransport } from '../store/transport.ts';

export type EraseDeps = Pick<Deps, 'bus' | 'database' | 'objects' | 'platforms'>;

/** The parameters of one erasure call. */
export interface Erasure {
  transport: PrivateTransport;
  /** Conversations of groups that the person is in. */
  groupIds: readonly string[];
  /** When to give up for this time. */
  deadline: number;
  add(store: string, erased: number): void;
}

/**
 * Removes events about a person from dead letters, outbox and stream. Returns `false` when there are more, or when some
 * have to be consumed first.
 */
export async function eraseEvents(
  { bus, database }: EraseDeps,
  { transport, groupIds, deadline, add }: Erasure,
): Promise<boolean> {
  const { tenantId, conversationIds } = transport;
  const letters = {
    schema: 'webhooks',
    tenantId,
    accounts: transport.named.map(({ platform, id }) => ({ platform, platformUserId: id })),
    // Replies that were never sent. The agents service stores those to groups.
    conversationIds: [...conversationIds, ...groupIds],
  };
  add(
    'dead_letters',
    await withPlatform(database, 'dead letters to an erased person', (tx) => eraseDeadLetters(tx, letters)),
  );
  let unpublished = 0;
  await throughOutbox({ database, schema: 'webhooks' }, async (tx, span) => {
    const events = await eraseOutbox(tx, transport, span);
    add('outbox', events.erased);
    unpublished += events.unpublished;
  });
  const scopes = [...conversationIds, ...groupIds, undefined].map((conversationId) => ({
    tenantId,
    conversationId,
  }));
  const { erased, isDone } = await eraseFromStream(bus, {
    subjects: scopes.map((scope) => bus.names.everyEventOf(bus.service, scope)),
    fateOf: (data) => fateOf(data, transport),
    consumer: 'agents',
    deadline,
  });
  add('stream', erased);
  return isDone && unpublished === 0;
}

interface Told {
  platform?: string;
  conversationId?: string;
  sender?: { platformUserId?: string };
  chat?: { platformChatId?: string };
  platformChatId?: string;
  from?: string;
  to?: string;
  quote?: { author?: { platformUserId?: string } };
  receivedAt?: string;
  changedAt?: string;
}

/**
 * The agents service consumes an event first: it stores the content of other people, and only the position of the
 * person's own, so that nothing waits for erased messages.
 */
function fateOf(data: unknown, transport: PrivateTransport): Fate {
  const {
    platform,
    conversationId = '',
    sender,
    chat,
    platformChatId,
    from,
    to,
    quote,
    ...told
  } = (data ?? {}) as Told;
  const at = Date.parse(told.receivedAt ?? told.changedAt ?? '');
  if (at > transport.erasedBefore.getTime()) return 'keep';
  const names = [
    sender?.platformUserId,
    chat?.platformChatId,
    platformChatId,
    from,
    to,
    quote?.author?.platformUserId,
  ];
  const isTheirs =
    transport.conversationIds.includes(conversationId) ||
    transport.named.some((known) => known.platform === platform && names.includes(known.id));
  return isTheirs ? 'erase once consumed' : 'keep';
}
