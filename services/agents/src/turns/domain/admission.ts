import type { ClaimedConversation } from '../../conversations/store/claimed-conversation.ts';
import type { SaidRow } from '../../conversations/store/messages.ts';
import type { Deps } from '../deps.ts';
import type { AdmittedTurn } from './turn-end.ts';

type Sender = Pick<NonNullable<SaidRow['sender']>, 'platformUserId' | 'name'>;

/** The sender of a message that has none: no grant or mute can match it. */
const unnamed: Sender = { platformUserId: '', name: '' };

/** Requests which of a turn's senders the bot admits. @throws HttpError 503 when the tenancy service doesn't answer. */
export async function admit(
  { tenancy }: Pick<Deps, 'tenancy'>,
  { tenantId, botId, platform, place }: ClaimedConversation,
  messages: readonly SaidRow[],
): Promise<AdmittedTurn> {
  const { platformChatId, kind, migratedFrom } = place;
  const all = messages.map(({ sender }) => sender ?? unnamed);
  const senders = new Map(all.map(({ platformUserId, name }) => [platformUserId, { platformUserId, name }]));
  const refusals = await tenancy.admit({
    tenantId,
    botId,
    platform,
    chat: { platformChatId, kind, migratedFrom },
    senders: [...senders.values()],
  });
  const refusalOf = ({ sender }: SaidRow) => refusals.get((sender ?? unnamed).platformUserId);
  const refused = messages.flatMap((message) => {
    const refusal = refusalOf(message);
    return refusal ? [{ message, refusal }] : [];
  });
  return { heard: messages.filter((message) => !refusalOf(message)), refused };
}
