import type { AccessQuestion, Place } from '@botyard/shared/auth/caller';
import type { Request } from './cedar.ts';

/** A bot as policies see it; `null` attributes for one that isn't there, of which the handler will say 404. */
export interface BotFacts {
  botId: string;
  name: string | null;
  isEnabled: boolean | null;
}

/** A message as policies see it. */
export interface MessageFacts {
  tenantId: string;
  bot: BotFacts;
  platform: string;
  chatKind: string;
  platformChatId: string;
  sender: { platformUserId: string; name: string };
}

const uid = (type: string, id: string) => ({ type, id });
const extension = (fn: string, arg: string) => ({ __extn: { fn, arg } });

/** What Cedar is asked for a request to the API. */
export function toAccessRequest(
  { caller, action, request }: Omit<AccessQuestion, 'places'>,
  { tenantId, relation }: Place,
  { bot, now }: { bot: BotFacts | null; now: Date },
): Request {
  const { userId, idpUserId, isOperator } = caller;
  const principal = uid('User', userId);
  const things = resources(tenantId, bot);
  return {
    principal,
    action: uid('Action', action),
    resource: things.resource,
    context: {
      address: extension('ip', request.address),
      router: request.router,
      method: request.method,
      ...timeOf(now),
    },
    entities: [
      { uid: principal, attrs: { idpUserId, relation, isOperator }, parents: [] },
      ...things.entities,
    ],
  };
}

/** What Cedar is asked for a message to a bot. */
export function toMessageRequest(message: MessageFacts, now: Date): Request {
  const { tenantId, bot, platform, chatKind, platformChatId, sender } = message;
  const principal = uid('Person', `${platform}:${sender.platformUserId}`);
  const things = resources(tenantId, bot);
  return {
    principal,
    action: uid('Action', 'sendMessage'),
    resource: things.resource,
    context: { platform, chatKind, platformChatId, ...timeOf(now) },
    entities: [{ uid: principal, attrs: { platform, ...sender }, parents: [] }, ...things.entities],
  };
}

function resources(tenantId: string, bot: BotFacts | null): Pick<Request, 'resource' | 'entities'> {
  const tenant = uid('Tenant', tenantId);
  const entities: Request['entities'] = [{ uid: tenant, attrs: {}, parents: [] }];
  if (!bot) return { resource: tenant, entities };
  const resource = uid('Bot', bot.botId);
  const attrs = { name: bot.name ?? '', isEnabled: bot.isEnabled ?? false };
  return { resource, entities: [...entities, { uid: resource, attrs, parents: [tenant] }] };
}

/** UTC; the week begins on Monday, which is 1. */
const timeOf = (now: Date) => ({
  now: extension('datetime', now.toISOString()),
  hour: now.getUTCHours(),
  weekday: now.getUTCDay() || 7,
});
