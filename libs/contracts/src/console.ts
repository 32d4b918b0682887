import { z } from 'zod';

/**
 * `GET /console/config.json`: how one signs in here. `publishableKey` is the identity provider's, which is no secret; without it nobody
 * can sign in but in development mode. `version` is Botyard's.
 */
export const ConsoleConfig = z.object({
  developmentMode: z.boolean(),
  idp: z.object({ publishableKey: z.string().optional() }),
  version: z.string(),
});
export type ConsoleConfig = z.output<typeof ConsoleConfig>;

/** `GET /console/people`, in development mode: whom of the sandbox's people one may be. */
export const ConsolePerson = z.object({ userId: z.string(), name: z.string(), about: z.string() });
export type ConsolePerson = z.output<typeof ConsolePerson>;

/** `POST /console/session`, in development mode: a session of one of them. */
export const ConsoleSession = z.object({ token: z.string(), expiresInSeconds: z.int() });
export type ConsoleSession = z.output<typeof ConsoleSession>;
export const ConsoleSessionBody = z.strictObject({ userId: z.string().regex(/^[\w-]{1,100}$/) });
