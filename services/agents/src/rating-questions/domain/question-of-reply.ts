import { platformCapabilities } from '@botyard/contracts/http/platform';
import { personIdOfAccount } from '@botyard/shared/auth/person-id';
import type { ClaimedConversation } from '../../conversations/store/claimed-conversation.ts';
import type { SaidRow } from '../../conversations/store/messages.ts';
import type { BotRow } from '../../store/bots.ts';

interface Replied {
  conversation: Pick<ClaimedConversation, 'tenantId' | 'platform' | 'place'>;
  bot: Pick<BotRow, 'asksForRating'>;
  answer: {
    outcome: string;
    agent: object | null;
    tickets: readonly unknown[];
    handover: string | null;
    choices: readonly string[] | null;
  };
  heard: readonly Pick<SaidRow, 'sender'>[];
}

/**
 * The person to ask later if an agent's answer helped; `null` for none. An answer that itself offers choices is no end
 * of anything, and a mail is no place for a question.
 */
export function personToAsk({ conversation, bot, answer, heard }: Replied): string | null {
  const { tenantId, platform, place } = conversation;
  if (!bot.asksForRating || place.kind !== 'private' || !platformCapabilities[platform].isLive) return null;
  const { outcome, agent, tickets, handover, choices } = answer;
  if (outcome !== 'answered' || !agent || tickets.length > 0 || handover !== null || choices !== null)
    return null;
  const platformUserId = heard[0]?.sender?.platformUserId;
  return platformUserId ? personIdOfAccount(tenantId, { platform, platformUserId }) : null;
}
