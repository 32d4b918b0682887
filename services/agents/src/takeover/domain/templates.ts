import { fillTemplate, listTemplates } from '@botyard/contracts/events/webhook-templates';
import type { StaffMessageBody } from '@botyard/contracts/http/interactions-takeover';
import { platformDefinitions } from '@botyard/contracts/http/platform';
import { ask } from '@botyard/shared/bus/requests';
import { withTenant } from '@botyard/shared/db/database';
import { invalid, unprocessable } from '@botyard/shared/http/errors';
import type { z } from 'zod';
import type { ConversationRow } from '../../conversations/store/messages.ts';
import type { Deps } from '../deps.ts';
import { requireHandledChat, writeStaffMessage } from './write-message.ts';

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

type Written = z.output<typeof StaffMessageBody>;
type Wanted = NonNullable<Written['template']>;

/**
 * Sends a text or a template to a chat as a user of the tenant. Returns the message's identifier.
 * @throws HttpError 400; 404; 409 while the bot handles the chat; 422 for both, and for what can't be sent; 503.
 */
export async function writeTextOrTemplate(
  deps: Pick<Deps, 'database' | 'bus' | 'outbox'>,
  to: { tenantId: string; chatId: string; userId: string },
  { text, template }: Written,
): Promise<string> {
  if (!template) {
    if (text === undefined) throw invalid([{ path: ['text'], message: 'a text or a template is required' }]);
    return await writeStaffMessage(deps, to, { text });
  }
  const message = 'must not stand beside a text';
  if (text !== undefined)
    throw unprocessable(`template ${message}`, { issues: [{ path: 'template', message }] });
  return await writeStaffMessage(deps, to, await fillChatTemplate(deps, to, template));
}

async function fillChatTemplate(
  { database, bus }: Pick<Deps, 'database' | 'bus'>,
  { tenantId, chatId }: { tenantId: string; chatId: string },
  template: Wanted,
) {
  const chat = await withTenant(database, [tenantId], (tx) => requireHandledChat(tx, tenantId, chatId));
  const { botId, platform, place } = chat;
  const { title, capabilities } = platformDefinitions[platform];
  const { platformChatId } = place;
  const filled = capabilities.templates
    ? await ask(bus, fillTemplate, { tenantId, botId, platform, platformChatId, ...template })
    : { outcome: 'refused' as const, issues: [{ path: 'name', message: `${title} has no templates` }] };
  if (filled.outcome === 'filled') return { text: filled.text, template: filled.template };
  const issues = filled.issues.map(({ path, message }) => ({ path: `template.${path}`, message }));
  throw unprocessable(`the template can not be sent: ${issues[0]!.message}`, { issues });
}
