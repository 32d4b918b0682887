import type { PlatformName } from '@botyard/contracts/http/platform';
import type { OutboxRow } from '@botyard/shared/bus/outbox-rows';
import type { TenantTx } from '@botyard/shared/db/database';
import { getTableColumns } from '@botyard/shared/db/drizzle';
import { number, orNull } from '@botyard/shared/db/expressions';
import { unnest } from '@botyard/shared/db/named-values';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, pick, typedSql } from '@botyard/shared/db/typed-sql';
import { media } from '../../store/media-schema.ts';
import { conversations, deliveries } from '../../store/schema.ts';

/** A verified delivery to be admitted, with the event about its message. */
export interface Delivery {
  tenantId: string;
  source: PlatformName;
  botId: string;
  /** The platform's own identifier of the delivery, which identifies repetitions. */
  eventId: string;
  /** Further identifiers of the same message: a delivery is a duplicate if any of them was recorded before. */
  alsoKnownAs?: readonly string[] | undefined;
  deliveryId: string;
  conversationId: string;
  /** Whether it is the next message of its conversation. */
  takesPlace: boolean;
  /** The event, with the message's position in its conversation; 0 without one. */
  draft(seq: number): OutboxRow;
  /** The message's attachment, fetched once the message is admitted. */
  media?: NewMedia | undefined;
}

/** A file that will be fetched. */
interface NewMedia {
  mediaId: string;
  platformMessageId: string;
  senderId: string;
  name: string;
  fileRef: string;
}

/** A delivery that was no duplicate, with its event, which the caller writes to the outbox. */
interface AdmittedDelivery {
  deliveryId: string;
  event: OutboxRow;
}

const { tenantId, source, botId, eventId, deliveryId } = getTableColumns(deliveries);
const input = unnest('input', {
  tenantId,
  source,
  botId,
  deliveryId,
  eventIds: 'integer',
  conversationId: conversations.conversationId,
  takesPlace: 'boolean',
  ...pick(media, 'mediaId', 'platformMessageId', 'senderId', 'name', 'fileRef'),
});

/** One row for each identifier of a delivery. */
const identifiers = unnest('identifiers', {
  identityTenantId: tenantId,
  identitySource: source,
  identityBotId: botId,
  identityEventId: eventId,
  identityDeliveryId: deliveryId,
});

/** All statements lock rows in the same order, so that instances can't deadlock. */
const admitText = typedSql`
  with input as (
    select * from ${input.numbered}
  ), fresh as (
    insert into webhooks.deliveries (tenant_id, source, bot_id, event_id, delivery_id)
    select tenant_id, source, bot_id, event_id, delivery_id
    from ${identifiers.numbered}
    order by tenant_id, source, bot_id, event_id, ordinality
    on conflict do nothing
    returning delivery_id
  ), recorded as (
    select delivery_id, count(*)::integer as event_ids from fresh group by delivery_id
  ), accepted as (
    select input.* from input join recorded using (delivery_id, event_ids)
  ), files as (
    insert into webhooks.media (
      tenant_id, media_id, bot_id, conversation_id, platform, platform_message_id, sender_id, name, file_ref
    )
    select tenant_id, media_id, bot_id, conversation_id, source, platform_message_id, sender_id, name, file_ref
    from accepted
    where media_id is not null
  ), numbered as (
    insert into webhooks.conversations as c (tenant_id, conversation_id, last_seq)
    select tenant_id, conversation_id, count(*)
    from accepted
    where takes_place
    group by 1, 2
    order by 1, 2
    on conflict (tenant_id, conversation_id) do update set last_seq = c.last_seq + excluded.last_seq
    returning conversation_id, last_seq
  )
  select ${columns({
    deliveryId,
    seq: orNull(
      number(`n.last_seq - count(*) over (partition by a.conversation_id, a.takes_place)
        + row_number() over (partition by a.conversation_id, a.takes_place order by a.ordinality)`),
    ),
  })}
  from accepted a
  left join numbered n on n.conversation_id = a.conversation_id and a.takes_place`;

const noMedia = { mediaId: null, platformMessageId: null, senderId: null, name: null, fileRef: null };

/**
 * Admits deliveries of any tenants (REQ-REL-1). Duplicates are left out. Each new delivery is recorded, its message
 * gets a position in its conversation, and its attachment is added to the files to fetch. The caller writes the events
 * to the outbox in the same transaction.
 */
export async function admitDeliveries(
  tx: TenantTx,
  admitted: readonly Delivery[],
): Promise<AdmittedDelivery[]> {
  const identified = admitted.map((delivery) => ({
    delivery,
    eventIds: [...new Set([delivery.eventId, ...(delivery.alsoKnownAs ?? [])])],
  }));
  const deliveries = identified.map(({ delivery, eventIds }) => ({
    ...delivery,
    ...(delivery.media ?? noMedia),
    eventIds: eventIds.length,
  }));
  const identities = identified.flatMap(({ delivery, eventIds }) =>
    eventIds.map((identityEventId) => ({
      identityTenantId: delivery.tenantId,
      identitySource: delivery.source,
      identityBotId: delivery.botId,
      identityEventId,
      identityDeliveryId: delivery.deliveryId,
    })),
  );
  const values = { ...input.values(deliveries), ...identifiers.values(identities) };
  const rows = await tx.query({ name: 'webhooks.admit', text: admitText, values });
  const seqs = new Map(rows.map((row) => [row.deliveryId, row.seq ?? 0]));
  return admitted.flatMap(({ deliveryId, draft }) => {
    const seq = seqs.get(deliveryId);
    return seq === undefined ? [] : [{ deliveryId, event: draft(seq) }];
  });
}

/** Whether any message of a conversation was admitted. */
export const hasConversation = preparedStatement({
  name: 'webhooks.conversations.has',
  text: 'select 1 from webhooks.conversations where tenant_id = $1 and conversation_id = $2',
  values: (one: Pick<Delivery, 'tenantId' | 'conversationId'>) => [one.tenantId, one.conversationId],
  result: (rows) => rows.length > 0,
});

/**
 * Records a delivery in the transaction of its effects. Returns `false` when it was recorded before: then nothing may
 * be changed.
 */
export const insertDelivery = preparedStatement({
  name: 'webhooks.deliveries.insert',
  text: `insert into webhooks.deliveries (tenant_id, source, bot_id, event_id, delivery_id) values ($1, $2, $3, $4, $5)
         on conflict do nothing returning 1`,
  values: (delivery: Pick<Delivery, 'tenantId' | 'source' | 'botId' | 'eventId' | 'deliveryId'>) => [
    delivery.tenantId,
    delivery.source,
    delivery.botId,
    delivery.eventId,
    delivery.deliveryId,
  ],
  result: (rows) => rows.length > 0,
});

/** Records further identifiers of a delivery that was recorded. */
export const insertIdentifiers = preparedStatement({
  name: 'webhooks.deliveries.insert_identifiers',
  text: `insert into webhooks.deliveries (tenant_id, source, bot_id, event_id, delivery_id)
         select $1, $2, $3, id, $5 from unnest($4::text[]) as identifiers (id) order by id on conflict do nothing`,
  values: (
    { tenantId, source, botId, deliveryId }: Pick<Delivery, 'tenantId' | 'source' | 'botId' | 'deliveryId'>,
    identifiers: readonly string[],
  ) => [tenantId, source, botId, identifiers, deliveryId],
});
