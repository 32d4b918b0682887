import type { OutboundTemplate } from '@botyard/contracts/events/webhook-templates';
import type { ChatTemplates } from '@botyard/contracts/http/interactions-templates';
import type { z } from 'zod';
import type { Payload } from '../../store/schema.ts';

/** Texts that the platform approved in advance. */
export interface Templates<Content extends Payload = Payload> {
  /** All templates for a chat. @throws HttpError 503. */
  list(chat: ChatOfTemplates): Promise<TemplatesOfChat>;
  /** The message of a reply that is a template. */
  payloadOf(reply: { text: string; template: OutboundTemplate }): Content;
}

export interface ChatOfTemplates {
  tenantId: string;
  botId: string;
  platformChatId: string;
}

export type TemplatesOfChat = Omit<z.input<typeof ChatTemplates>, 'isCut'>;
