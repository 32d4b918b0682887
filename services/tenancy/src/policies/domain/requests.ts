import type { AccessQuestion, Place } from '@botyard/shared/auth/caller';
import type { Request } from './cedar.ts';
import { maxFactLength } from './limits.ts';

/** A bot as policies see it; `null` attributes for a missing one, for which the handler answers 404. */
interface BotFacts {
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

/** A lone surrogate is not a valid text for Cedar and breaks it. */
const uid = (type: string, id: string) => ({ type, id: id.toWellFormed() });
const extension = (fn: string, arg: string) => ({ __extn: { fn, arg: arg.toWellFormed() } });
const wellFormed = <Facts extends Record<string, string | boolean>>(facts: Facts): Facts =>
  Object.fromEntries(
    Object.entries(facts).map(([name, fact]) => [
      name,
      typeof fact === 'string' ? fact.toWellFormed() : fact,
    ]),
  ) as Facts;

/** Cedar's input for a request to the API. */
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
      ...wellFormed({ router: request.router, method: request.method }),
      ...timeOf(now),
    },
    entities: [
      { uid: principal, attrs: wellFormed({ idpUserId, relation, isOperator, isToken: false }), parents: [] },
      ...things.entities,
    ],
  };
}

/** Cedar's input for a message to a bot. */
export function toMessageRequest(message: MessageFacts, now: Date): Request {
  const { tenantId, bot, platform, chatKind, platformChatId, sender } = message;
  const principal = uid('Person', `${platform}:${sender.platformUserId}`);
  const things = resources(tenantId, bot);
  return {
    principal,
    action: uid('Action', 'sendMessage'),
    resource: things.resource,
    context: { ...wellFormed({ platform, chatKind, platformChatId }), ...timeOf(now) },
    entities: [
      { uid: principal, attrs: wellFormed({ platform, ...sender }), parents: [] },
      ...things.entities,
    ],
  };
}

/** Whether Cedar would take too long to match the request with patterns. Such requests are refused. */
export function hasLongFact({ context, entities }: Request): boolean {
  const facts = [
    ...Object.values(context),
    ...entities.flatMap(({ uid, attrs }) => ['id' in uid ? uid.id : '', ...Object.values(attrs)]),
  ];
  return facts.some((fact) => typeof fact === 'string' && fact.length > maxFactLength);
}

function resources(tenantId: string, bot: BotFacts | null): Pick<Request, 'resource' | 'entities'> {
  const tenant = uid('Tenant', tenantId);
  const entities: Request['entities'] = [{ uid: tenant, attrs: {}, parents: [] }];
  if (!bot) return { resource: tenant, entities };
  const resource = uid('Bot', bot.botId);
  const attrs = wellFormed({ name: bot.name ?? '', isEnabled: bot.isEnabled ?? false });
  return { resource, entities: [...entities, { uid: resource, attrs, parents: [tenant] }] };
}

/** In UTC. The week begins on Monday, which is 1. */
const timeOf = (now: Date) => ({
  now: extension('datetime', now.toISOString()),
  hour: now.getUTCHours(),
  weekday: now.getUTCDay() || 7,
});
