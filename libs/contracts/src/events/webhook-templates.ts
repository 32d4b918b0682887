import { z } from 'zod';
import { ChatTemplates } from '../http/interactions-templates.ts';
import { PlatformName } from '../http/platform.ts';
import { defineRequest } from './definition.ts';

const chat = {
  tenantId: z.uuid(),
  botId: z.uuid(),
  platform: PlatformName,
  platformChatId: z.string().max(1000),
};

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
