import { z } from 'zod';

/** A signed-in person. */
export const UserIdentity = z.object({
  kind: z.literal('user'),
  idpUserId: z.string().min(1),
  sessionId: z.string().min(1),
  email: z.string().optional(),
  name: z.string().optional(),
  /** The organization that is active in the session, with its role in the identity provider's words. */
  org: z.object({ id: z.string(), role: z.string() }).optional(),
  isOperator: z.boolean(),
});
export type UserIdentity = z.output<typeof UserIdentity>;

/** The caller, as the gateway established it. `anonymous` comes from a public prefix or a webhook. */
export const Identity = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('anonymous') }),
  UserIdentity,
]);
export type Identity = z.output<typeof Identity>;
