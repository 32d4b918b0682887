import type { PlatformTx } from '@botyard/shared/db/database';
import { number } from '@botyard/shared/db/expressions';
import { columns, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { outbox } from '../../store/schema.ts';

/** The room that one answer on the bus has in addition to the largest message. */
const maxBytes = 256 * 1024;

/**
 * Admission writes the position first, so that it can be read without parsing the rest. An erasure that has removed a
 * quote leaves a space before it.
 */
const seqOf = `substring(data from '^\\{"seq": ?(\\d+),')`;

const kept = columns({ data: outbox.data });
const keptText = typedSql`with of_conversation as (
    select data, ${seqOf}::bigint as seq from webhooks.outbox where subject = $1
  ), found as (
    select data, seq,
      sum(octet_length(data)) over (order by seq) - octet_length(data) as bytes_before
    from of_conversation where seq = any ($2::bigint[])
  )
  select ${kept} from found where bytes_before < ${maxBytes} order by seq`;

/** Events of one conversation's messages in the outbox, in order, as many as fit into an answer. */
export async function listKeptMessages(
  tx: PlatformTx,
  subject: string,
  seqs: readonly number[],
): Promise<RowOf<typeof kept>[]> {
  return await tx.query({
    name: 'webhooks.outbox.kept_messages',
    text: keptText,
    values: [subject, seqs],
  });
}

/** Removes what people said from events of these messages. The events keep their positions. */
export async function emptyKeptMessages(
  tx: PlatformTx,
  subjects: readonly string[],
  platformMessageIds: readonly string[],
): Promise<void> {
  await tx.query({
    name: 'webhooks.outbox.empty_messages',
    text: `update webhooks.outbox set data = (data::jsonb - '{quote,attachment,command,mail}'::text[]
             || '{"text": "", "content": "unsupported"}')::text
           where subject = any ($1::text[]) and data::jsonb ->> 'platformMessageId' = any ($2::text[])`,
    values: [subjects, platformMessageIds],
  });
}

/** How many of the newest events are searched: all events of the last 10 s at 300 messages a second. */
const maxEvents = 3000;

const newest = columns({
  subject: outbox.subject,
  lastSeq: number(`max(${seqOf}::float8)`),
  streamSeq: number('max(stream_seq)'),
});
const newestText = typedSql`select ${newest}
  from (select subject, data, stream_seq, published_at from webhooks.outbox
    order by id desc limit ${maxEvents}) newest
  where starts_with(subject, $1) and stream_seq is not null
    and published_at between now() - interval '10 minutes' and now() - interval '15 seconds'
    and data like '{"seq":%'
  group by subject`;

/** The newest message of each conversation, among the newest events that were published 15 s to 10 minutes ago. */
export async function listNewestMessages(
  tx: PlatformTx,
  subjectPrefix: string,
): Promise<RowOf<typeof newest>[]> {
  return await tx.query({
    name: 'webhooks.outbox.newest_messages',
    text: newestText,
    values: [subjectPrefix],
  });
}
