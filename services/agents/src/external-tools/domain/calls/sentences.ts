import type { Say } from '@botyard/words/words';
import { asPlainLine } from '../../../conversations/domain/phrases.ts';
import type { TicketRow } from '../../store/tickets.ts';

type Ended = Pick<TicketRow, 'toolName' | 'status' | 'note' | 'detail'>;

/** Tool names as models use them: letters, digits, _ and -. */
const called = (name: string): string => `\`${name}\``;

/** The message to the chat about calls that wait for an approval. */
export function waitingSentence(say: Say, names: readonly string[]): string {
  return say('approval_waiting', { tools: [...new Set(names)].map(called).join(', ') });
}

/** The message to the chat about the end of a pending call, if no model reports it. */
export function endSentence(say: Say, { toolName, status, note, detail }: Ended): string {
  const tool = called(toolName);
  switch (status) {
    case 'rejected':
      return note
        ? say('approval_rejected_note', { tool, note: asPlainLine(note) })
        : say('approval_rejected', { tool });
    case 'expired':
      return say('approval_expired', { tool });
    case 'refused':
      return detail
        ? say('approval_refused_detail', { tool, detail: asPlainLine(detail) })
        : say('approval_refused', { tool });
    case 'uncertain':
      return say('approval_uncertain', { tool });
    case 'failed':
      return say('approval_failed', { tool });
    default:
      return say('approval_executed', { tool });
  }
}

/** The same for later readers of the chat, including models. */
export const noticeText = (ticket: Pick<Ended, 'toolName' | 'status'>): string =>
  `[${ticket.toolName}, which waited for an approval: ${ticket.status}]`;
