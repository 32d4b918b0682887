import { z } from 'zod';
import { Limit } from '../http/limits.ts';
import { PlatformName } from '../http/platform.ts';
import { Sending, WebhookCheck } from '../http/platforms.ts';
import { Erased, ErasedPerson, PersonConversation } from './agents-requests.ts';
import { Media, OutboundFile } from './attachments.ts';
import { defineRequest } from './definition.ts';
import { OfTenants } from './several-tenants.ts';
import { StorageQuestion } from './storage.ts';
import { messageReceived } from './webhooks.ts';

export const listEndpointHealth = defineRequest('webhooks.endpoint.health.v1', {
  summary: 'Returns the state of the webhooks of integrations, and of sending to their chats.',
  callers: ['tenancy'],
  request: z.object({ tenantId: z.uuid(), integrationIds: z.array(z.uuid()).max(500) }),
  response: z.object({
    endpoints: z.array(Sending.extend({ integrationId: z.uuid(), webhook: WebhookCheck.nullable() })),
  }),
  timeoutMs: 5000,
});

export const sumSending = defineRequest('webhooks.sending.sum.v1', {
  summary: "Sums the state of sending to a tenant's chats, by platform.",
  callers: ['tenancy'],
  request: z.object({ tenantId: z.uuid() }),
  response: z.object({ sending: z.array(Sending.extend({ platform: PlatformName })) }),
  timeoutMs: 5000,
});

export const checkEndpoint = defineRequest('webhooks.endpoint.check.v1', {
  summary: "Checks an integration's webhook at the platform now, and repairs it if necessary.",
  callers: ['tenancy'],
  request: z.object({ tenantId: z.uuid(), integrationId: z.uuid() }),
  response: z.object({ isKnown: z.boolean() }),
  timeoutMs: 2000,
});

export const sumSendingOfTenants = defineRequest('webhooks.sending.total.v1', {
  summary:
    'Sums the state of sending to the chats of each of these tenants. Tenants without any are omitted.',
  callers: ['tenancy'],
  request: OfTenants,
  response: z.object({ tenants: z.array(Sending.extend({ tenantId: z.uuid() })) }),
  timeoutMs: 3000,
});

export const findMessages = defineRequest('webhooks.message.find.v1', {
  summary: 'Finds messages of a conversation by their positions, among the events of the last 72 hours.',
  callers: ['agents'],
  request: z.object({
    tenantId: z.uuid(),
    conversationId: z.uuid(),
    seqs: z.array(z.int()).min(1).max(100),
  }),
  response: z.object({
    /** The messages that are still stored, in order: as many as fit into one response, but at least one. */
    messages: z.array(messageReceived.schema),
  }),
  timeoutMs: 3000,
});

export const listRecentMessages = defineRequest('webhooks.message.recent.v1', {
  summary:
    'Lists the positions of conversations whose newest message was published between some seconds and some minutes ago.',
  callers: ['agents'],
  request: z.object({}),
  response: z.object({
    conversations: z.array(
      z.object({
        tenantId: z.uuid(),
        conversationId: z.uuid(),
        /** Positions of the newest message and of its event in the stream. */
        lastSeq: z.int(),
        streamSeq: z.int(),
      }),
    ),
  }),
  timeoutMs: 3000,
});

export const findCorrespondents = defineRequest('webhooks.person.find.v1', {
  summary:
    'Finds the accounts behind hashed identifiers that only records of platforms hold, such as those of mails.',
  callers: ['tenancy'],
  request: ErasedPerson.pick({ tenantId: true, personIds: true }),
  response: z.object({ accounts: ErasedPerson.shape.accounts }),
  timeoutMs: 30_000,
});

export const eraseTransport = defineRequest('webhooks.person.erase.v1', {
  summary: 'Erases part of the data in transit to or from a person, and returns whether more is left.',
  callers: ['tenancy'],
  request: ErasedPerson.extend({
    conversations: z.array(PersonConversation).max(10_000),
  }),
  response: Erased,
  timeoutMs: 30_000,
});

export const keepMails = defineRequest('webhooks.storage.limit.v1', {
  summary:
    "Returns the stored bytes of a tenant's mails, and their limit. `ownLimit` first sets the operator's limit.",
  callers: ['tenancy', 'usage'],
  request: StorageQuestion,
  response: Limit,
  timeoutMs: 2000,
});

const mediaIds = z.array(z.uuid()).min(1).max(1000);

export const findMedia = defineRequest('webhooks.media.find.v1', {
  summary: 'Returns the state of files that came into chats. Unknown files are omitted.',
  callers: ['agents'],
  request: z.object({
    tenantId: z.uuid(),
    mediaIds,
    /** Includes texts, as many as fit into one response. */
    withTexts: z.boolean(),
  }),
  response: z.object({ media: z.array(Media) }),
  timeoutMs: 3000,
});

/** The bytes of a file from which its type is detected. */
export const headBytesOfFile = 4100;

export const reserveFile = defineRequest('webhooks.media.reserve.v1', {
  summary:
    'Records a file that staff sends into a chat, before its bytes are written to the object store. Without its ' +
    'message it is removed.',
  callers: ['agents'],
  request: z.object({
    tenantId: z.uuid(),
    botId: z.uuid(),
    conversationId: z.uuid(),
    platform: PlatformName,
    /** As the sender gave it. */
    name: z.string().max(1000),
    /** The first bytes, in base64. */
    head: z.string().max(Math.ceil(headBytesOfFile / 3) * 4),
    sizeBytes: z.int().positive(),
    sha256: z.string(),
  }),
  response: z.discriminatedUnion('outcome', [
    z.object({ outcome: z.literal('reserved'), file: OutboundFile }),
    z.object({ outcome: z.literal('refused'), reason: z.string() }),
  ]),
  timeoutMs: 5000,
});

export const dropMedia = defineRequest('webhooks.media.drop.v1', {
  summary: 'Releases the files of messages that are no longer stored.',
  callers: ['agents'],
  request: z.object({ tenantId: z.uuid(), mediaIds }),
  response: z.object({ dropped: z.int() }),
  timeoutMs: 5000,
});

const mailResponse = z.object({
  /** `waits`: may be retried later; `uncertain`: may already be on its way. */
  outcome: z.enum(['sent', 'refused', 'waits', 'uncertain']),
  reason: z.string().nullable(),
  retryInSeconds: z.int().nonnegative().nullable(),
});

export const sendWithdrawalMail = defineRequest('webhooks.withdrawal.send.v1', {
  summary: 'Mails an admin now that a rule withdrew a release, through the account of the installation.',
  callers: ['tenancy'],
  request: z.object({
    tenantId: z.uuid(),
    /** The same for every attempt to send a mail, so that receivers can detect duplicates. */
    mailId: z.uuid(),
    email: z.string(),
    agentName: z.string(),
    /** The withdrawn candidate. */
    version: z.int(),
    reason: z.string(),
    /** The page of the agent in the console. */
    link: z.string(),
  }),
  response: mailResponse,
  // As for the mail of an invitation.
  timeoutMs: 15_000,
});

export const sendInvitation = defineRequest('webhooks.invitation.send.v1', {
  summary: "Sends the mail of an invitation now, through the installation's own account.",
  callers: ['tenancy'],
  request: z.object({
    tenantId: z.uuid(),
    /** The same for every attempt to send a mail, so that receivers can detect duplicates. */
    mailId: z.uuid(),
    email: z.string(),
    tenantName: z.string(),
    language: z.string(),
    link: z.string(),
  }),
  response: mailResponse,
  // A cluster makes two attempts, and each must last longer than a send.
  timeoutMs: 15_000,
});
