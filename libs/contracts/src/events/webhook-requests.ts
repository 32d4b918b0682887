import { z } from 'zod';
import { Limit } from '../http/limits.ts';
import { PlatformName } from '../http/platform.ts';
import { Sending, WebhookCheck } from '../http/platforms.ts';
import { Erased, ErasedPerson } from './agents-requests.ts';
import { Media } from './attachments.ts';
import { defineRequest } from './definition.ts';
import { OfTenants } from './several-tenants.ts';
import { StorageQuestion } from './storage.ts';
import { messageReceived } from './webhooks.ts';

export const listEndpointHealth = defineRequest('webhooks.endpoint.health.v1', {
  summary: 'How the webhooks of integrations and the sending to their chats do.',
  callers: ['tenancy'],
  request: z.object({ tenantId: z.uuid(), integrationIds: z.array(z.uuid()).max(500) }),
  response: z.object({
    endpoints: z.array(Sending.extend({ integrationId: z.uuid(), webhook: WebhookCheck.nullable() })),
  }),
  timeoutMs: 5000,
});

export const sumSending = defineRequest('webhooks.sending.sum.v1', {
  summary: "How the sending to a tenant's chats does, on each platform.",
  callers: ['tenancy'],
  request: z.object({ tenantId: z.uuid() }),
  response: z.object({ sending: z.array(Sending.extend({ platform: PlatformName })) }),
  timeoutMs: 5000,
});

export const checkEndpoint = defineRequest('webhooks.endpoint.check.v1', {
  summary: 'Has the platform asked now where it delivers to for an integration; wrong answers are repaired.',
  callers: ['tenancy'],
  request: z.object({ tenantId: z.uuid(), integrationId: z.uuid() }),
  response: z.object({ isKnown: z.boolean() }),
  timeoutMs: 2000,
});

export const sumSendingOfTenants = defineRequest('webhooks.sending.total.v1', {
  summary: 'How the sending to the chats of each of these tenants does. A tenant without any is left out.',
  callers: ['tenancy'],
  request: OfTenants,
  response: z.object({ tenants: z.array(Sending.extend({ tenantId: z.uuid() })) }),
  timeoutMs: 3000,
});

export const findMessages = defineRequest('webhooks.message.find.v1', {
  summary: 'Messages of a conversation by their positions, from where their events are kept for 72 hours.',
  callers: ['agents'],
  request: z.object({
    tenantId: z.uuid(),
    conversationId: z.uuid(),
    seqs: z.array(z.number().int()).min(1).max(100),
  }),
  response: z.object({
    /** In order: the kept messages, at least one, as many as one answer holds. */
    messages: z.array(messageReceived.schema),
  }),
  timeoutMs: 3000,
});

export const listRecentMessages = defineRequest('webhooks.message.recent.v1', {
  summary:
    'How far conversations have come whose newest message was published some seconds to some minutes ago.',
  callers: ['agents'],
  request: z.object({}),
  response: z.object({
    conversations: z.array(
      z.object({
        tenantId: z.uuid(),
        conversationId: z.uuid(),
        /** Positions of the newest message and of its event in the stream. */
        lastSeq: z.number().int(),
        streamSeq: z.number().int(),
      }),
    ),
  }),
  timeoutMs: 3000,
});

export const findCorrespondents = defineRequest('webhooks.person.find.v1', {
  summary: 'The e-mail addresses behind hashed identifiers, as far as mail has come from them or gone there.',
  callers: ['tenancy'],
  request: ErasedPerson.pick({ tenantId: true, personIds: true }),
  response: z.object({ accounts: ErasedPerson.shape.accounts }),
  timeoutMs: 30_000,
});

export const eraseTransport = defineRequest('webhooks.person.erase.v1', {
  summary: 'Erases a part of what is on its way to or from a person, and tells whether there is more.',
  callers: ['tenancy'],
  request: ErasedPerson.extend({
    conversations: z.array(z.object({ conversationId: z.uuid(), isPrivate: z.boolean() })).max(10_000),
  }),
  response: Erased,
  timeoutMs: 30_000,
});

export const keepMails = defineRequest('webhooks.storage.limit.v1', {
  summary:
    "How many bytes are kept of a tenant's mails, and may be; with `ownLimit`, what an operator sets for it.",
  callers: ['tenancy', 'usage'],
  request: StorageQuestion,
  response: Limit,
  timeoutMs: 2000,
});

const mediaIds = z.array(z.uuid()).min(1).max(1000);

export const findMedia = defineRequest('webhooks.media.find.v1', {
  summary: 'What became of files that came into chats. One that is unknown is left out.',
  callers: ['agents'],
  request: z.object({
    tenantId: z.uuid(),
    mediaIds,
    /** Texts come too, as many as one answer holds. */
    withTexts: z.boolean(),
  }),
  response: z.object({ media: z.array(Media) }),
  timeoutMs: 3000,
});

export const dropMedia = defineRequest('webhooks.media.drop.v1', {
  summary: 'Files of messages that are no longer kept may go.',
  callers: ['agents'],
  request: z.object({ tenantId: z.uuid(), mediaIds }),
  response: z.object({ dropped: z.number().int() }),
  timeoutMs: 5000,
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
  response: z.object({
    /** `waits`: may be retried later; `uncertain`: may already be on its way. */
    outcome: z.enum(['sent', 'refused', 'waits', 'uncertain']),
    reason: z.string().nullable(),
    retryInSeconds: z.number().int().nonnegative().nullable(),
  }),
  // In a cluster, each of the two tries outlasts a send.
  timeoutMs: 15_000,
});
