import { z } from 'zod';
import { createIdpTransport, type IdpSettings, usable } from '../../clients/idp-transport.ts';

/** Opens a session at the identity provider, once. */
interface Ticket {
  ticket: string;
  url: string | null;
}

export interface IdpTickets {
  /** Resolves with `null` when the provider doesn't know the person. @throws HttpError as `IdpTransport`. */
  create(idpUserId: string, expiresInSeconds: number): Promise<Ticket | null>;
}

const SignInToken = z.object({
  user_id: z.string(),
  token: z.string().min(1).max(8192),
  url: z
    .url({ protocol: /^https?$/ })
    .nullish()
    .catch(null),
});

/** The identity provider's tickets, with which its client signs a person in. */
export function createIdpTickets(settings: IdpSettings): IdpTickets {
  const send = createIdpTransport(settings);
  return {
    create: async (idpUserId, expiresInSeconds) => {
      const body = { user_id: idpUserId, expires_in_seconds: expiresInSeconds };
      const answer = await send({ method: 'POST', path: '/sign_in_tokens', body });
      if (answer === null) return null;
      const made = usable(
        SignInToken.refine(({ user_id: owner }) => owner === idpUserId),
        answer,
      );
      return { ticket: made.token, url: made.url ?? null };
    },
  };
}
