import { z } from 'zod';

/**
 * `GET /console/config.json`: how to sign in here, and what is switched on. `publishableKey` is the identity provider's
 * and not secret; without it people can sign in only in development mode. `version` is Botyard's.
 */
export const ConsoleConfig = z.object({
  developmentMode: z.boolean(),
  idp: z.object({ publishableKey: z.string().optional() }),
  /** Whether external tools are switched on. */
  externalTools: z.boolean(),
  /** The sandbox's page, in development mode, where a browser on this machine reaches it. */
  sandboxUrl: z.string().optional(),
  version: z.string(),
});
export type ConsoleConfig = z.output<typeof ConsoleConfig>;

/** `GET /console/people`, in development mode: the sandbox's people whom the console can act as. */
export const ConsolePerson = z.object({ userId: z.string(), name: z.string(), about: z.string() });
export type ConsolePerson = z.output<typeof ConsolePerson>;

/** `POST /console/session`, in development mode: a session of one of them. */
export const ConsoleSession = z.object({ token: z.string(), expiresInSeconds: z.int() });
export type ConsoleSession = z.output<typeof ConsoleSession>;
export const ConsoleSessionBody = z.strictObject({ userId: z.string().regex(/^[\w-]{1,100}$/) });
