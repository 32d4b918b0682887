import type { PlatformName } from '@botyard/contracts/http/platform';
import { createdAt, moment, tenantPolicy } from '@botyard/shared/db/columns';
import {
  bigint,
  boolean,
  index,
  integer,
  jsonb,
  sql,
  text,
  unique,
  uniqueIndex,
  uuid,
} from '@botyard/shared/db/drizzle';
import { tenantTable, webhooks } from './schema.ts';

const tenantId = () => uuid('tenant_id').notNull();

/** Mails that belong together. A thread is one conversation of one bot, and never spans bots or tenants. */
export const mailThreads = tenantTable(
  'mail_threads',
  ['threadId'],
  {
    threadId: uuid('thread_id').notNull().unique(),
    botId: uuid('bot_id').notNull(),
    integrationId: uuid('integration_id').notNull(),
    conversationId: uuid('conversation_id').notNull(),
    /** Follows a `+` in the reply address of outgoing mails. */
    plusToken: text('plus_token').notNull().unique(),
    /** The subject of the latest mail, for replies. */
    subject: text().notNull(),
    /** The person who writes with the bot, in lower case: the address for replies. */
    correspondent: text().notNull(),
    correspondentName: text('correspondent_name').notNull(),
    /** Message-Ids of the thread, oldest first: the `References` of the next reply, capped. */
    references: text().array().notNull().default([]),
    /** Identifies the conversation in Outlook's `Thread-Index`, which some of its answers have alone. */
    threadIndex: text('thread_index'),
    /** The chat at another platform that its person wants to continue by mail; both are `null` for all others. */
    chatPlatform: text('chat_platform').$type<PlatformName>(),
    chatId: text('chat_id'),
    createdAt: createdAt(),
    lastMailAt: moment('last_mail_at').notNull().defaultNow(),
  },
  (table) => [
    index('mail_threads_by_bot').on(table.tenantId, table.botId, table.threadId),
    index('mail_threads_by_correspondent').on(
      table.tenantId,
      table.botId,
      table.correspondent,
      table.threadId,
    ),
    index('mail_threads_of_chat').on(table.tenantId, table.chatId).where(sql`chat_id is not null`),
  ],
);

/** Every mail of a thread, incoming and outgoing, in its original and its readable form. */
export const mails = tenantTable(
  'mails',
  ['mailId'],
  {
    mailId: uuid('mail_id').notNull(),
    threadId: uuid('thread_id').notNull(),
    botId: uuid('bot_id').notNull(),
    /** Order within the thread. */
    position: bigint({ mode: 'number' }).generatedAlwaysAsIdentity().notNull(),
    direction: text({ enum: ['in', 'out'] }).notNull(),
    /**
     * Without angle brackets. Those of outgoing mails are derived from the reply, so that a second send has the same
     * one.
     */
    messageId: text('message_id').notNull(),
    inReplyTo: text('in_reply_to'),
    sender: text().notNull(),
    senderName: text('sender_name').notNull(),
    /**
     * Whether the mailer's SPF and DKIM results show that it is from the domain of `sender`; `unknown` for outgoing
     * mails.
     */
    senderProof: text('sender_proof', { enum: ['proven', 'failed', 'unknown'] })
      .notNull()
      .default('unknown'),
    recipient: text().notNull(),
    /** The language that its sender declares; a tag of BCP 47. */
    language: text(),
    subject: text().notNull(),
    /** The person's text without quotes; for outgoing mails, the whole text. */
    text: text().notNull(),
    /** The original plain text and HTML; for outgoing mails, those that were sent. */
    originalText: text('original_text'),
    html: text(),
    /**
     * `held` until its sender is admitted, `admitted` once it is a message of the conversation, `ignored` with the
     * reason (automatic, a list, a loop, over the limit); for outgoing mails `queued`, `sending`, then `sent`, `failed`
     * or `bounced`.
     */
    state: text({
      enum: ['held', 'admitted', 'ignored', 'queued', 'sending', 'sent', 'failed', 'bounced'],
    }).notNull(),
    reason: text(),
    /** For outgoing mails: the reply, or `null` for the link to an unknown sender. */
    replyId: uuid('reply_id'),
    replySeq: bigint('reply_seq', { mode: 'number' }),
    /** A program or a mailing list sent it; then it is `ignored`, and `reason` says why. */
    isAutomatic: boolean('is_automatic').notNull().default(false),
    /** Written by a user of the tenant, not by the bot. */
    isByStaff: boolean('is_by_staff').notNull().default(false),
    attempts: integer().notNull().default(0),
    /** The same as for a part: the sends that were begun, and the number of those that may have reached the mailer. */
    sends: integer().notNull().default(0),
    openSends: integer('open_sends').notNull().default(0),
    isUncertain: boolean('is_uncertain').notNull().default(false),
    /** Its outcome was written alone, and its consequences are not handled yet. */
    isUnannounced: boolean('is_unannounced').notNull().default(false),
    /** It is counted in the daily limit of the installation's account. */
    isCounted: boolean('is_counted').notNull().default(false),
    /**
     * The time from which a worker may send it, if it is the first pending mail of its thread; `null` for all others.
     */
    readyAt: moment('ready_at'),
    leaseUntil: moment('lease_until'),
    /** The process that holds the lease, as for a chat. */
    owner: uuid(),
    fence: bigint({ mode: 'number' }).notNull().default(0),
    createdAt: createdAt(),
    /** The `receivedAt` of its message, by which its replies are recognized; `null` until it is admitted. */
    admittedAt: moment('admitted_at'),
    sentAt: moment('sent_at'),
  },
  (table) => [
    unique('mails_by_message_id').on(table.tenantId, table.botId, table.messageId),
    index('mails_of_thread').on(table.tenantId, table.threadId, table.mailId),
    index('mails_from')
      .on(table.tenantId, table.botId, table.sender, table.createdAt)
      .where(sql`direction = 'in'`),
    index('mails_ready').on(table.tenantId, table.readyAt).where(sql`ready_at is not null`),
    index('mails_waiting')
      .on(table.tenantId, table.threadId, table.position)
      .where(sql`state in ('queued', 'sending')`),
    index('mails_sent_to').on(table.tenantId, table.recipient, table.createdAt).where(sql`direction = 'out'`),
    index('mails_unannounced').on(table.tenantId).where(sql`is_unannounced`),
    index('mails_held').on(table.tenantId, table.botId, table.sender).where(sql`state = 'held'`),
    index('mails_ignored').on(table.tenantId, table.botId, table.createdAt).where(sql`state = 'ignored'`),
    index('mails_held_by_age').on(table.createdAt).where(sql`state = 'held'`),
    index('mails_original_by_age')
      .on(table.createdAt)
      .where(sql`original_text is not null or html is not null`),
  ],
);

/** A file of a mail. Its bytes are in the object store. */
export const mailAttachments = tenantTable(
  'mail_attachments',
  ['attachmentId'],
  {
    attachmentId: uuid('attachment_id').notNull(),
    mailId: uuid('mail_id').notNull(),
    name: text().notNull(),
    /** Detected from the bytes, regardless of the sender's name for it. */
    mediaType: text('media_type').notNull(),
    sizeBytes: integer('size_bytes').notNull(),
    sha256: text().notNull(),
    objectKey: text('object_key').notNull(),
    /** Whether the mail's HTML shows it in the text. */
    isInline: boolean('is_inline').notNull().default(false),
    /** The extracted text, shortened; `null` if there is none. */
    extractedText: text('extracted_text'),
    /** The reason why a document has no text; `waiting` until it is read. */
    textMissing: text('text_missing', { enum: ['waiting', 'too_large', 'too_slow', 'unreadable'] }),
    /** The reason why its bytes are not stored: the tenant had no storage left, or the retention has expired. */
    missingReason: text('missing_reason', { enum: ['storage_full', 'expired'] }),
    createdAt: createdAt(),
    /**
     * The time from which its bytes and row may be removed: set before the bytes are written, and cleared when its mail
     * is stored.
     */
    removeAt: moment('remove_at'),
  },
  (table) => [
    index('mail_attachments_of_mail').on(table.tenantId, table.mailId),
    index('mail_attachments_to_remove').on(table.removeAt).where(sql`remove_at is not null`),
    index('mail_attachments_by_age').on(table.createdAt).where(sql`missing_reason is null`),
  ],
);

/**
 * The stored bytes of a tenant: files of mails, and original mails. Triggers on both tables update the count in the
 * transaction that adds or removes a row.
 */
export const storageUse = webhooks.table(
  'storage_use',
  {
    tenantId: tenantId().primaryKey(),
    bytes: bigint({ mode: 'number' }).notNull().default(0),
    /** An operator's limit; `null` means that the setting applies. */
    limitBytes: bigint('limit_bytes', { mode: 'number' }),
  },
  () => [tenantPolicy()],
);

/** Tokens of the mailer's signatures, for 24 hours: the signature covers no body, so each is accepted once. */
export const mailTokens = tenantTable(
  'mail_tokens',
  ['botId', 'token'],
  {
    botId: uuid('bot_id').notNull(),
    token: text().notNull(),
    /** Stored as a hash. */
    messageId: text('message_id').notNull(),
    /** The hash of the delivery's content. */
    digest: text().notNull(),
    createdAt: createdAt(),
  },
  (table) => [index('mail_tokens_by_age').on(table.createdAt)],
);

/** Permissions to write to a bot: for one address, everybody of a domain (`group`), or a thread. */
export const senderGrants = tenantTable(
  'sender_grants',
  ['grantId'],
  {
    grantId: uuid('grant_id').notNull(),
    botId: uuid('bot_id').notNull(),
    kind: text({ enum: ['sender', 'group', 'thread'] }).notNull(),
    /** The address, the domain, or the thread's identifier; in lower case. */
    value: text().notNull(),
    /** The address whose link granted it, or `user:` and an admin's identifier. Each of them has a separate grant. */
    grantedBy: text('granted_by').notNull(),
    createdAt: createdAt(),
    revokedAt: moment('revoked_at'),
  },
  (table) => [
    uniqueIndex('sender_grants_living')
      .on(table.tenantId, table.botId, table.kind, table.value, table.grantedBy)
      .where(sql`revoked_at is null`),
    index('sender_grants_by_bot').on(table.tenantId, table.botId, table.grantId),
  ],
);

/**
 * Links that were sent to unknown senders. Only a hash is stored. Each can be used once, within 24 hours; a used link
 * still shows and revokes its grant, until it expires again.
 */
export const senderTokens = tenantTable(
  'sender_tokens',
  ['tokenHash'],
  {
    tokenHash: text('token_hash').notNull().unique(),
    botId: uuid('bot_id').notNull(),
    threadId: uuid('thread_id').notNull(),
    address: text().notNull(),
    expiresAt: moment('expires_at').notNull(),
    usedAt: moment('used_at'),
    createdAt: createdAt(),
  },
  (table) => [
    index('sender_tokens_by_address').on(table.tenantId, table.botId, table.address, table.createdAt),
  ],
);

/**
 * Counts of recent links to an address, for a bot and for a tenant. An address is counted over all tenants, so the
 * table belongs to none; its keys are hashes, which identify no person.
 */
export const linkCounts = webhooks.table('link_counts', {
  key: text().primaryKey(),
  hits: integer().notNull(),
  endsAt: moment('ends_at').notNull(),
});

/**
 * Mails from the installation's account for a tenant, and for each of its bots, in a day that begins with the first
 * mail. For the tenant as a whole `bot_id` is all zeros.
 */
export const mailDayCounts = tenantTable('mail_day_counts', ['botId'], {
  botId: uuid('bot_id').notNull(),
  hits: integer().notNull(),
  endsAt: moment('ends_at').notNull(),
});

/** Addresses that receive no mail after a bounce. */
export const bouncedAddresses = tenantTable('bounced_addresses', ['address'], {
  address: text().notNull(),
  reason: text().notNull(),
  details: jsonb().$type<{ mailId?: string }>().notNull().default({}),
  bouncedAt: moment('bounced_at').notNull().defaultNow(),
});
