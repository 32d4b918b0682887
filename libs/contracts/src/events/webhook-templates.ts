import { z } from 'zod';
import { ChatTemplates } from '../http/interactions-templates.ts';
import { PlatformName } from '../http/platform.ts';
import { templateLimits } from '../template-text.ts';
import { defineRequest } from './definition.ts';

const chat = {
  tenantId: z.uuid(),
  botId: z.uuid(),
  platform: PlatformName,
  platformChatId: z.string().max(1000),
};

/** An approved template that staff sends, with the texts for its gaps. */
export const OutboundTemplate = z.object({
  name: z.string(),
  language: z.string(),
  /** In the order in which the platform takes them. */
  parameters: z.array(z.object({ name: z.string(), text: z.string() })),
});
export type OutboundTemplate = z.output<typeof OutboundTemplate>;

export const fillTemplate = defineRequest('webhooks.template.fill.v1', {
  summary:
    'Puts the texts for its gaps into an approved template. Refuses, in words for people, what cannot be sent.',
  callers: ['agents'],
  request: z.object({
    ...chat,
    name: z.string().max(512),
    language: z.string().max(20),
    /** In the order of the template's parameters. */
    parameters: z.array(z.string().max(4096)).max(templateLimits.parameters),
  }),
  response: z.discriminatedUnion('outcome', [
    z.object({ outcome: z.literal('filled'), text: z.string(), template: OutboundTemplate }),
    z.object({
      outcome: z.literal('refused'),
      /** `path` is within the request. */
      issues: z.array(z.object({ path: z.string(), message: z.string() })).min(1),
    }),
  ]),
  timeoutMs: 3000,
});

export const listTemplates = defineRequest('webhooks.template.list.v1', {
  summary:
    'Lists the templates that the platform approved for a chat, and whether it takes other texts there now.',
  callers: ['agents'],
  request: z.object({
    ...chat,
    /** Part of the name or the body. */
    q: z.string().max(100).optional(),
  }),
  /** As many as fit into one response. */
  response: ChatTemplates,
  timeoutMs: 3000,
});
