import type { SessionOutcome } from './http/session-outcomes.ts';

/** Outcomes of sessions in words, in the order in which they are shown. */
export const outcomeWords: Readonly<Record<SessionOutcome, { label: string; chats: string }>> = {
  resolved: { label: 'Resolved', chats: 'are resolved' },
  handed_over: { label: 'Handed over', chats: 'are handed over to a person' },
  given_up: { label: 'Given up', chats: 'end with an apology' },
  stopped: { label: 'Stopped', chats: 'are stopped by the person' },
  repeated: { label: 'Asked again', chats: 'have the same question twice' },
  failed: { label: 'Failed', chats: 'have an apology in place of an answer' },
  rated_up: { label: 'Rated up', chats: 'are rated as good' },
  rated_down: { label: 'Rated down', chats: 'are rated as bad' },
};
