import { unavailable } from '@botyard/shared/http/errors';
import type { Secret } from '@botyard/shared/secrets/secret';
import { z } from 'zod';

export interface IdpUser {
  idpUserId: string;
  email: string | null;
  name: string | null;
}

export interface IdpClient {
  /** `null` when the provider doesn't know the person, or none is configured. @throws HttpError 503 when it doesn't answer. */
  findUser(idpUserId: string): Promise<IdpUser | null>;
}

const User = z.object({
  id: z.string(),
  first_name: z.string().nullish(),
  last_name: z.string().nullish(),
  primary_email_address_id: z.string().nullish(),
  email_addresses: z
    .array(
      z.object({
        id: z.string(),
        email_address: z.string(),
        verification: z.object({ status: z.string() }).nullish(),
      }),
    )
    .default([]),
});

const timeoutMs = 5000;
/** Of nothing else is the provider asked: an identifier becomes a part of the address. */
const userIdShape = /^[\w-]{1,200}$/;

export function createIdpClient(options: { baseUrl: string; secretKey: Secret | undefined }): IdpClient {
  const { baseUrl, secretKey } = options;
  return {
    findUser: async (idpUserId) => {
      if (!secretKey || !userIdShape.test(idpUserId)) return null;
      const response = await fetch(`${baseUrl}/users/${idpUserId}`, {
        headers: { authorization: `Bearer ${secretKey.reveal()}` },
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      }).catch((error: unknown) => {
        throw unavailable('the identity provider does not answer', { cause: error });
      });
      if (response.status === 404) return null;
      const user = User.safeParse(await response.json().catch(() => undefined));
      if (!response.ok || !user.success) {
        throw unavailable('the identity provider gave no usable answer', {
          cause: new Error(`status ${response.status}`),
        });
      }
      return toIdpUser(user.data);
    },
  };
}

/** The primary address where it is in the list, else the first verified one, else none. */
function toIdpUser(user: z.output<typeof User>): IdpUser {
  const primary = user.email_addresses.find(({ id }) => id === user.primary_email_address_id);
  const verified = user.email_addresses.find(({ verification }) => verification?.status === 'verified');
  const name = [user.first_name, user.last_name].filter(Boolean).join(' ');
  return { idpUserId: user.id, email: (primary ?? verified)?.email_address ?? null, name: name || null };
}
