import { z } from 'zod';
import { defineRequest } from '../bus/definition.ts';
import { Sending, WebhookCheck } from '../contracts/platforms.ts';

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
  response: z.object({ sending: z.array(Sending.extend({ platform: z.enum(['messenger', 'email']) })) }),
  timeoutMs: 5000,
});

export const checkEndpoint = defineRequest('webhooks.endpoint.check.v1', {
  summary: 'Has the platform asked now where it delivers to for an integration; wrong answers are repaired.',
  callers: ['tenancy'],
  request: z.object({ tenantId: z.uuid(), integrationId: z.uuid() }),
  response: z.object({ isKnown: z.boolean() }),
  timeoutMs: 2000,
});
