import { listTemplates } from '@botyard/contracts/events/webhook-templates';
import { platformDefinitions } from '@botyard/contracts/http/platform';
import { ask } from '@botyard/shared/bus/requests';
import type { ConversationRow } from '../../conversations/store/messages.ts';
import type { Deps } from '../deps.ts';

type ChatOfTemplates = Pick<ConversationRow, 'tenantId' | 'botId' | 'platform' | 'place'>;

/** The templates for a chat. @throws HttpError 503. */
export async function listChatTemplates(
  { bus }: Pick<Deps, 'bus'>,
  { tenantId, botId, platform, place: { platformChatId } }: ChatOfTemplates,
  { q }: { q?: string | undefined },
) {
  if (!platformDefinitions[platform].capabilities.templates)
    return { isWindowOpen: true, templates: [], unavailable: [], isCut: false };
  const chat = { tenantId, botId, platform, platformChatId };
  return await ask(bus, listTemplates, { ...chat, ...(q === undefined ? {} : { q }) });
}
