import { z } from 'zod';

/** The first segments of the console's pages: beneath them the gateway answers with the page, and beneath no other. */
export const consolePages = [
  'inbox',
  'agents',
  'bots',
  'approvals',
  'apps',
  'people',
  'access',
  'usage',
  'keys',
  'failures',
  'operator',
] as const;

/** Where the console's files lie, and what it asks before anybody has signed in. Public: none of it needs a session. */
export const consolePaths = {
  files: '/console/assets',
  setup: '/console/setup',
  people: '/console/people',
  session: '/console/session',
} as const;

/** `GET /console/setup`: how one signs in here. `publishableKey` is the identity provider's, which is no secret. */
export const ConsoleSetup = z.object({
  signIn: z.enum(['development', 'identity-provider']),
  publishableKey: z.string().nullable(),
});
export type ConsoleSetup = z.output<typeof ConsoleSetup>;

/** `GET /console/people`, in development mode: whom of the sandbox's people one may be. */
export const ConsolePerson = z.object({ userId: z.string(), name: z.string(), about: z.string() });
export type ConsolePerson = z.output<typeof ConsolePerson>;

/** `POST /console/session`, in development mode: a session of one of them. */
export const ConsoleSession = z.object({ token: z.string(), expiresInSeconds: z.int() });
export type ConsoleSession = z.output<typeof ConsoleSession>;
export const ConsoleSessionBody = z.strictObject({ userId: z.string().regex(/^[\w-]{1,100}$/) });
