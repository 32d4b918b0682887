import type { PlatformName } from '@botyard/contracts/http/platform';
import type { OutboxRow } from '@botyard/shared/bus/outbox-rows';
import { type Database, type TenantTx, withTenant } from '@botyard/shared/db/database';
import { getTableColumns } from '@botyard/shared/db/drizzle';
import { like } from '@botyard/shared/db/expressions';
import { unnest } from '@botyard/shared/db/named-values';
import { columns, pick, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { conversations, deliveries, outbox } from '../../store/schema.ts';

/** A verified delivery to be admitted, with the event about its message. */
export interface Delivery {
  tenantId: string;
  source: PlatformName;
  botId: string;
  /** The platform's own identifier of the delivery, which identifies repetitions. */
  eventId: string;
  deliveryId: string;
  conversationId: string;
  /** Whether it is the next message of its conversation. Its data has no `seq` yet, which the commit assigns. */
  takesPlace: boolean;
  event: OutboxRow;
  /** The message's attachment, fetched once the message is admitted. */
  media?: NewMedia | undefined;
}

/** A file that will be fetched. */
interface NewMedia {
  mediaId: string;
  senderId: string;
  name: string;
  fileRef: string;
}

/** A delivery that was no duplicate. Its event now has its position in the conversation. */
interface AdmittedDelivery {
  deliveryId: string;
  event: OutboxRow;
}

const admitted = columns({
  deliveryId: deliveries.deliveryId,
  id: like(outbox.id, 'outbox_id'),
  ...pick(outbox, 'subject', 'data', 'traceparent'),
});

const { tenantId, source, botId, eventId, deliveryId } = getTableColumns(deliveries);
const { subject, data, traceparent } = getTableColumns(outbox);
const input = unnest('input', {
  tenantId,
  source,
  botId,
  eventId,
  deliveryId,
  conversationId: conversations.conversationId,
  outboxId: outbox.id.getSQLType(),
  subject,
  data,
  traceparent,
  takesPlace: 'boolean',
  media: 'jsonb',
});

/**
 * Commits deliveries of any tenants in one statement and one round trip (REQ-REL-1). Duplicates are left out. Each new
 * delivery is recorded, its message gets a position in its conversation, its event goes to the outbox, and its
 * attachment to the files to fetch.
 *
 * All statements lock rows in the same order, so that instances can't deadlock.
 */
const admitText = typedSql`
  with input as (
    select * from ${input.numbered}
  ), fresh as (
    insert into webhooks.deliveries (tenant_id, source, bot_id, event_id, delivery_id)
    select tenant_id, source, bot_id, event_id, delivery_id from input order by tenant_id, source, bot_id, event_id
    on conflict do nothing returning delivery_id
  ), accepted as (
    select input.* from input join fresh using (delivery_id)
  ), files as (
    insert into webhooks.media (tenant_id, media_id, bot_id, conversation_id, platform, sender_id, name, file_ref)
    select a.tenant_id, (a.media ->> 'mediaId')::uuid, a.bot_id, a.conversation_id, a.source, a.media ->> 'senderId', a.media ->> 'name',
      a.media ->> 'fileRef'
    from accepted a where a.media is not null
  ), numbered as (
    insert into webhooks.conversations as c (tenant_id, conversation_id, last_seq)
    select tenant_id, conversation_id, count(*) from accepted where takes_place group by 1, 2 order by 1, 2
    on conflict (tenant_id, conversation_id) do update set last_seq = c.last_seq + excluded.last_seq
    returning conversation_id, last_seq
  ), messages as materialized (
    select a.delivery_id, a.outbox_id, a.subject, a.traceparent, '{"seq":' ||
      n.last_seq - count(*) over (partition by a.conversation_id)
        + row_number() over (partition by a.conversation_id order by a.ordinality) || ',' || substr(a.data, 2) as data
    from accepted a join numbered n using (conversation_id) where a.takes_place
    union all
    select delivery_id, outbox_id, subject, traceparent, data from accepted where not takes_place
  ), queued as (
    insert into webhooks.outbox (id, subject, data, traceparent) select outbox_id, subject, data, traceparent from messages
  )
  select ${admitted} from messages`;

/**
 * Records a delivery in the transaction of its effects. Returns `false` when it was recorded before: then nothing may
 * be changed.
 */
export async function insertDelivery(
  tx: TenantTx,
  delivery: Pick<Delivery, 'tenantId' | 'source' | 'botId' | 'eventId' | 'deliveryId'>,
): Promise<boolean> {
  return await tx.has({
    name: 'webhooks.deliveries.insert',
    text: `insert into webhooks.deliveries (tenant_id, source, bot_id, event_id, delivery_id) values ($1, $2, $3, $4, $5)
           on conflict do nothing returning 1`,
    values: [delivery.tenantId, delivery.source, delivery.botId, delivery.eventId, delivery.deliveryId],
  });
}

/** @throws when the database doesn't answer in time: then nothing is admitted. */
export async function admitDeliveries(
  database: Database,
  deliveries: readonly Delivery[],
): Promise<AdmittedDelivery[]> {
  const tenantIds = [...new Set(deliveries.map(({ tenantId }) => tenantId))];
  return (
    await withTenant(database, tenantIds, (tx) => tx.query(admissionOf(deliveries)), { isOneRoundTrip: true })
  ).map(toAdmitted);
}

/** The same as `admitDeliveries` within a transaction. The events are published after its commit. */
export async function admitWithin(
  tx: TenantTx,
  deliveries: readonly Delivery[],
): Promise<AdmittedDelivery[]> {
  return (await tx.query(admissionOf(deliveries))).map(toAdmitted);
}

const admissionOf = (deliveries: readonly Delivery[]) => ({
  name: 'webhooks.admit',
  text: admitText,
  values: input.values(deliveries.map(toInput)),
});

const toInput = ({ event, media, ...delivery }: Delivery) => ({
  ...delivery,
  outboxId: event.id,
  subject: event.subject,
  data: event.data,
  traceparent: event.traceparent,
  media,
});

const toAdmitted = ({ deliveryId, ...event }: RowOf<typeof admitted>): AdmittedDelivery => ({
  deliveryId,
  event,
});
