import type { ChatTemplates } from '@botyard/contracts/http/interactions-templates';
import type { z } from 'zod';

/** Texts that the platform approved in advance. */
export interface Templates {
  /** All templates for a chat. @throws HttpError 503. */
  list(chat: ChatOfTemplates): Promise<TemplatesOfChat>;
}

export interface ChatOfTemplates {
  tenantId: string;
  botId: string;
  platformChatId: string;
}

export type TemplatesOfChat = Omit<z.input<typeof ChatTemplates>, 'isCut'>;
