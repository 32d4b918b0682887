import { type Database, type TenantTx, withTenant } from '@botyard/shared/db/database';
import { notFound } from '@botyard/shared/http/errors';
import { getBotOfChat, getBotOfMessage } from '../store/bot-of.ts';

interface Limited {
  tenantId: string | null;
  /** The bots that a responder is limited to; `null` for everybody else. */
  botIds: readonly string[] | null;
  params: Readonly<Record<string, string>>;
}

type AnyHandler = (input: never, deps: never) => Promise<unknown>;

/**
 * Handlers that find chats and messages of a responder's own bots only. Those of other bots are 404, like missing ones.
 * Lists limit themselves. A chat never changes its bot, so the check needs no transaction with what follows.
 */
export function withinBots<Of extends Readonly<Record<string, AnyHandler>>>(handlers: Of): Of {
  const limited = Object.entries(handlers).map(([name, handle]) => {
    const within = async (input: Limited, deps: { database: Database }) => {
      if (input.botIds !== null) await requireWithin(deps.database, input, input.botIds);
      return await (handle as (input: Limited, deps: object) => Promise<unknown>)(input, deps);
    };
    return [name, within] as const;
  });
  return Object.fromEntries(limited) as unknown as Of;
}

async function requireWithin(
  database: Database,
  { tenantId, params: { chatId, messageId } }: Limited,
  botIds: readonly string[],
): Promise<void> {
  if (tenantId === null || (chatId === undefined && messageId === undefined)) return;
  const botOf = (tx: TenantTx) =>
    chatId === undefined
      ? getBotOfMessage(tx, tenantId, messageId ?? '')
      : getBotOfChat(tx, tenantId, chatId);
  const botId = await withTenant(database, [tenantId], botOf);
  if (botId === undefined || !botIds.includes(botId))
    throw notFound(chatId === undefined ? 'message' : 'chat');
}
