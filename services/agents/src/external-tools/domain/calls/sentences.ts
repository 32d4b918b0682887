import { shown } from '../../../conversations/domain/phrases.ts';
import type { TicketRow } from '../../store/tickets.ts';

type Ended = Pick<TicketRow, 'toolName' | 'status' | 'note' | 'detail'>;

/** A model calls tools by these names: letters, digits, _ and -. */
const called = (name: string): string => `\`${name}\``;

/** What a chat hears when calls have to wait. */
export function waitingSentence(names: readonly string[]): string {
  const all = [...new Set(names)].map(called).join(', ');
  return `That needs an approval first: ${all}. I have asked for it, and I come back to you as soon as somebody has decided.`;
}

/** What a chat hears of the end of a call that waited, where no model tells it. */
export function endSentence({ toolName, status, note, detail }: Ended): string {
  const name = called(toolName);
  switch (status) {
    case 'rejected':
      return `${name} was not approved${note ? ` (${shown(note)})` : ''}, so I have not done it.`;
    case 'expired':
      return `Nobody decided about ${name} in time, so I have not done it. Ask me again if you still want it.`;
    case 'refused':
      return `${name} was approved, but meanwhile it may not be done any more${detail ? `: ${shown(detail)}` : ''}. I have not done it.`;
    case 'uncertain':
      return `${name} was approved, but I was interrupted in the middle of it: I cannot say whether it was done, and I do not do it twice. Please check before you ask for it again.`;
    case 'failed':
      return `${name} was approved, but it did not work.`;
    default:
      return `${name} was approved, and it is done.`;
  }
}

/** The same for who reads the chat later, a model among them. */
export const noticeText = (ticket: Pick<Ended, 'toolName' | 'status'>): string =>
  `[${ticket.toolName}, which waited for an approval: ${ticket.status}]`;
