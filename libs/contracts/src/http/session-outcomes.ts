import { z } from 'zod';

export const sessionOutcomeNames = [
  'resolved',
  'handed_over',
  'given_up',
  'stopped',
  'repeated',
  'failed',
  'rated_up',
  'rated_down',
] as const;

/** How a session with an agent went. A session can have several outcomes. */
export const SessionOutcome = z
  .enum(sessionOutcomeNames)
  .describe(
    'An outcome of a session, decided with what happened until an age. Within an hour: `handed_over` to a person, ' +
      '`stopped` with `/stop`, `repeated` words of the person, `failed` with an apology. Within a day: `given_up`, ' +
      'the last answer was an apology; `resolved`, it was an answer, without a hand-over or a stop; `rated_up` and ' +
      '`rated_down`, the person rated an answer with a thumb as reaction, which Telegram and WhatsApp report.',
  );
export type SessionOutcome = z.output<typeof SessionOutcome>;
