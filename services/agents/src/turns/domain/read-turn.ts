import { findBot } from '@botyard/contracts/events/tenancy';
import { platformCapabilities } from '@botyard/contracts/http/platform';
import { ask } from '@botyard/shared/bus/requests';
import { withTenant } from '@botyard/shared/db/database';
import type { TurnView } from '../../answering/store/turn-view.ts';
import type { ClaimedConversation } from '../../conversations/store/claimed-conversation.ts';
import type { SaidRow } from '../../conversations/store/messages.ts';
import { saveBot } from '../../store/bots.ts';
import type { Deps } from '../deps.ts';
import { isLeftToStaff } from './cancellation.ts';
import { nextTurn } from './next-turn.ts';

/** The messages to answer together, and everything that decides how. */
export interface TurnRead extends TurnView {
  messages: SaidRow[];
  /** A person handles the chat, or did when the messages arrived. */
  isForStaff: boolean;
}

/** Reads the turn that a conversation is to take next. */
export async function readTurn(deps: Deps, conversation: ClaimedConversation): Promise<TurnRead> {
  const view = await readView(deps, conversation);
  // A person may have written since the claim. While the bot handles the chat, only the bot writes.
  conversation.nextReplySeq = view.nextReplySeq ?? conversation.nextReplySeq;
  const { bot, queued, cancellation } = view;
  const joinsMessages = platformCapabilities[conversation.platform].joinsMessages;
  const joined = nextTurn(queued, joinsMessages ? (bot?.joinWindowMs ?? 0) : 0);
  const isOfStaff = (message: SaidRow) => isLeftToStaff(message, cancellation);
  const isForStaff = joined.slice(0, 1).some(isOfStaff);
  // Messages sent while a person handled the chat are never answered together with later ones.
  const end = joined.findIndex((message) => isOfStaff(message) !== isForStaff);
  return { ...view, messages: end === -1 ? joined : joined.slice(0, end), isForStaff };
}

/** A message may arrive before its bot's event. In that case the bot is requested from the tenancy service. */
async function readView(deps: Deps, conversation: ClaimedConversation): Promise<TurnView> {
  const { tenantId, botId } = conversation;
  const view = await deps.turnViews.run(conversation);
  if (view.bot) return view;
  const { bot } = await ask(deps.bus, findBot, { tenantId, botId });
  if (!bot) return view;
  await withTenant(deps.database, [tenantId], (tx) => saveBot(tx, bot));
  return await deps.turnViews.run(conversation);
}
