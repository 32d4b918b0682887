import { type Media, MediaMissing } from '@botyard/contracts/events/attachments';
import type { Account } from '@botyard/shared/auth/person-id';
import type { TenantTx } from '@botyard/shared/db/database';
import { alias } from '@botyard/shared/db/drizzle';
import { like, notNull, oneOf, orNull } from '@botyard/shared/db/expressions';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, pick, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import type { QueueTable } from '@botyard/shared/work/leased-queue/queue-table';
import { mailAttachments } from '../../store/mail-schema.ts';
import { media } from '../../store/media-schema.ts';

interface MediaKey {
  tenantId: string;
  mediaId: string;
}

const claimed = columns({
  ...pick(alias(media, 'q'), 'tenantId', 'mediaId', 'botId', 'platform', 'name', 'attempts'),
  fileRef: notNull(alias(media, 'q').fileRef),
});
/** A file that this process fetches. `attempts` is the fence: a later attempt has another one. */
export type ClaimedMedia = RowOf<typeof claimed>;

export const mediaQueue: QueueTable<ClaimedMedia> = {
  table: 'webhooks.media',
  key: ['tenantId', 'mediaId'],
  columns: claimed,
  readyAt: 'q.due_at',
  leaseSeconds: 30,
  fence: 'attempts',
};

type Held = MediaKey & Pick<ClaimedMedia, 'attempts'>;
const keyOf = ({ tenantId, mediaId, attempts }: Held) => [tenantId, mediaId, attempts];

/**
 * Ends with a file; a `null` reason means that it is stored. Returns `false` when it no longer exists, or another
 * attempt has begun: then nothing of this attempt may stay.
 */
export const settleMedia = preparedStatement({
  name: 'webhooks.media.settle',
  text: `update webhooks.media set state = case when $4::text is null then 'kept' else 'missing' end, missing_reason = $4,
           file_ref = null, due_at = null, lease_until = null
         where tenant_id = $1 and media_id = $2 and attempts = $3 and state = 'waiting' returning 1`,
  values: (held: Held, missingReason: 'too_large' | 'unavailable' | null) => [...keyOf(held), missingReason],
  result: (rows) => rows.length > 0,
});

/** Releases a file, to be retried. An attempt that this process interrupted isn't counted. */
export const releaseMedia = preparedStatement({
  name: 'webhooks.media.release',
  text: `update webhooks.media set lease_until = null, due_at = now() + make_interval(secs => $4::float8 / 1000),
           attempts = attempts - case when $5 then 0 else 1 end
         where tenant_id = $1 and media_id = $2 and attempts = $3 and state = 'waiting'`,
  values: (held: Held, { waitMs, isCounted }: { waitMs: number; isCounted: boolean }) => [
    ...keyOf(held),
    waitMs,
    isCounted,
  ],
});

const m = alias(media, 'm');
const a = alias(mailAttachments, 'a');
const listed = columns({
  mediaId: m.mediaId,
  state: like(m.state, "case when a.missing_reason is null then m.state else 'missing' end"),
  reason: orNull(oneOf(MediaMissing.options, 'coalesce(a.missing_reason, m.missing_reason)')),
  name: orNull(a.name),
  mediaType: orNull(a.mediaType),
  sizeBytes: orNull(a.sizeBytes),
  objectKey: orNull(like(a.objectKey, 'case when a.missing_reason is null then a.object_key end')),
  text: like(a.extractedText, 'case when $3 then a.extracted_text end'),
});
const listText = typedSql`select ${listed}
  from webhooks.media m left join webhooks.mail_attachments a
    on a.tenant_id = m.tenant_id and a.mail_id = m.media_id and a.remove_at is null
  where m.tenant_id = $1 and m.media_id = any ($2::uuid[])`;

/** Lists the states of files, and the details of stored ones. */
export async function listMedia(
  tx: TenantTx,
  { tenantId, mediaIds, withTexts }: { tenantId: string; mediaIds: readonly string[]; withTexts: boolean },
): Promise<Media[]> {
  const rows = await tx.query({
    name: 'webhooks.media.list',
    text: listText,
    values: [tenantId, mediaIds, withTexts],
  });
  return rows.map(({ mediaId, state, reason, name, mediaType, sizeBytes, objectKey, text }) => ({
    mediaId,
    state,
    ...(reason === null ? {} : { reason }),
    ...(name === null ? {} : { name }),
    ...(mediaType === null ? {} : { mediaType }),
    ...(sizeBytes === null ? {} : { sizeBytes }),
    ...(objectKey === null ? {} : { objectKey }),
    ...(text === null ? {} : { text }),
  }));
}

/** Removes rows of files, whose bytes may then be removed. Returns how many. */
export const dropMedia = preparedStatement({
  name: 'webhooks.media.drop',
  text: `with files as (
           update webhooks.mail_attachments set remove_at = now() where tenant_id = $1 and mail_id = any ($2::uuid[]))
         delete from webhooks.media where tenant_id = $1 and media_id = any ($2::uuid[]) returning 1`,
  values: ({ tenantId, mediaIds }: { tenantId: string; mediaIds: readonly string[] }) => [tenantId, mediaIds],
  result: (rows) => rows.length,
});

/** Removes the files of deleted messages. A fetch that is running stores nothing. */
export const dropMediaOfMessages = preparedStatement({
  name: 'webhooks.media.drop_of_messages',
  text: `with dropped as (
           delete from webhooks.media where tenant_id = $tenantId and conversation_id = $conversationId
             and platform_message_id = any ($platformMessageIds::text[])
           returning media_id
         )
         update webhooks.mail_attachments set remove_at = now()
         where tenant_id = $tenantId and mail_id in (select media_id from dropped)`,
  values: (deleted: { tenantId: string; conversationId: string; platformMessageIds: readonly string[] }) =>
    deleted,
});

/** Selects the files to erase: those of these senders, and those in their private conversations. */
export interface MediaOf {
  tenantId: string;
  accounts: readonly Account[];
  conversationIds: readonly string[];
  erasedBefore: Date;
}

const theirs = `tenant_id = $tenantId and created_at <= $erasedBefore and (conversation_id = any ($conversationIds::uuid[])
  or (platform, sender_id) in (select * from unnest($platforms::text[], $senderIds::text[])))`;
const valuesOf = ({ tenantId, accounts, conversationIds, erasedBefore }: MediaOf) => ({
  tenantId,
  platforms: accounts.map(({ platform }) => platform),
  senderIds: accounts.map(({ platformUserId }) => platformUserId),
  conversationIds,
  erasedBefore,
});

const ofPersonText = typedSql`update webhooks.media set due_at = null where (tenant_id, media_id) in (
    select tenant_id, media_id from webhooks.media
    where ${theirs} and coalesce(lease_until, '-infinity') <= now() limit $limit)
  returning ${columns({ mediaId: media.mediaId })}`;

/** Some of their files that are not being fetched. From now on no fetch of them begins. */
export const listMediaOf = preparedStatement({
  name: 'webhooks.media.of_person',
  text: ofPersonText,
  values: (wanted: MediaOf, limit: number) => ({ ...valuesOf(wanted), limit }),
  result: (rows) => rows.map(({ mediaId }) => mediaId),
});

export const hasMediaOf = preparedStatement({
  name: 'webhooks.media.has',
  text: `select from webhooks.media where ${theirs} limit 1`,
  values: valuesOf,
  result: (rows) => rows.length > 0,
});
