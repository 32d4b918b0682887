import { platformCapabilities } from '@botyard/contracts/http/platform';
import type { ClaimedConversation } from '../../conversations/store/claimed-conversation.ts';

interface RepliedAnswer {
  outcome: string;
  agent: object | null;
  tickets: readonly unknown[];
  handover: string | null;
  choices: readonly string[] | null;
}

/**
 * Whether a person is asked later if this answer helped, where the bot asks. An answer that itself offers choices is no
 * end of anything, and a mail is no place for a question.
 */
export const isAskedAbout = (
  { outcome, agent, tickets, handover, choices }: RepliedAnswer,
  { platform, place }: Pick<ClaimedConversation, 'platform' | 'place'>,
): boolean =>
  place.kind === 'private' &&
  platformCapabilities[platform].isLive &&
  outcome === 'answered' &&
  agent !== null &&
  tickets.length === 0 &&
  handover === null &&
  choices === null;
