import type { Refusal } from '@botyard/contracts/events/tenancy';
import { platformCapabilities } from '@botyard/contracts/http/platform';
import type { Refusals, TenancyClient } from '../../clients/tenancy.ts';
import type { ClaimedConversation } from '../../conversations/store/claimed-conversation.ts';
import type { SaidRow } from '../../conversations/store/messages.ts';
import type { BotRow } from '../../store/bots.ts';

/** A turn's messages, split by whether their senders are admitted; both in order. */
export interface AdmittedTurn {
  heard: SaidRow[];
  refused: { message: SaidRow; refusal: Refusal }[];
}

/** A turn that its bot answers. */
export type AnsweredTurn = AdmittedTurn & {
  bot: Pick<BotRow, 'answerWithinMinutes' | 'defaultLanguage' | 'words'>;
};

type Sender = Pick<NonNullable<SaidRow['sender']>, 'platformUserId' | 'name'>;
/** Requests which of a turn's senders the bot admits. @throws HttpError 503 when the tenancy service doesn't answer. */
type AdmitTurn = (turn: readonly SaidRow[]) => Promise<AdmittedTurn>;

/** The sender of a message that has none: no grant or mute can match it. */
const unnamed: Sender = { platformUserId: '', name: '' };

/**
 * Starts the check before the messages are read, since the sender of a private chat is already known. If another person
 * wrote, the check is repeated.
 */
export function beginAdmission(tenancy: TenancyClient, conversation: ClaimedConversation): AdmitTurn {
  const { tenantId, botId, platform, place } = conversation;
  const { platformChatId, kind, title, migratedFrom } = place;
  const ask = (senders: Sender[]): Promise<Refusals> =>
    tenancy.admit({ tenantId, botId, platform, chat: { platformChatId, kind, migratedFrom }, senders });
  const expected: Sender = { platformUserId: platformChatId, name: title };
  const early =
    kind === 'private' && platformCapabilities[platform].privateChatIsPerson ? ask([expected]) : undefined;
  // The failure is handled where the result is awaited. It isn't awaited if there are no messages.
  early?.catch(() => undefined);
  return async (turn) => {
    const senders = sendersOf(turn);
    const isExpected = senders.every((sender) => isSame(sender, expected));
    return divide(turn, await (early && isExpected ? early : ask(senders)));
  };
}

function sendersOf(turn: readonly SaidRow[]): Sender[] {
  const senders = turn.map(({ sender }) => sender ?? unnamed);
  const byId = new Map(senders.map(({ platformUserId, name }) => [platformUserId, { platformUserId, name }]));
  return [...byId.values()];
}

const isSame = (left: Sender, right: Sender): boolean =>
  left.platformUserId === right.platformUserId && left.name === right.name;

function divide(turn: readonly SaidRow[], refusals: Refusals): AdmittedTurn {
  const admitted: AdmittedTurn = { heard: [], refused: [] };
  for (const message of turn) {
    const refusal = refusals.get((message.sender ?? unnamed).platformUserId);
    if (refusal) admitted.refused.push({ message, refusal });
    else admitted.heard.push(message);
  }
  return admitted;
}
