import type { Identity } from '@botyard/contracts/identity';
import type { SignIdentity } from '@botyard/shared/auth/identity';
import type { Grant } from './access-token.ts';

/** The caller's name for counting streams and for logs; `undefined` for anonymous callers. */
export function nameOf(identity: Identity): string | undefined {
  return identity.kind === 'user' ? identity.idpUserId : undefined;
}

/** A caller for a short time: the identity, its expiry, and its signed form for each service. */
export class Principal {
  readonly identity: Identity;
  readonly expiresAtMs: number;
  readonly grant: Grant;
  readonly #sign: SignIdentity;
  readonly #signed = new Map<string, Promise<string>>();

  constructor(identity: Identity, expiresAtMs: number, sign: SignIdentity, grant: Grant = 'all') {
    this.identity = identity;
    this.expiresAtMs = expiresAtMs;
    this.grant = grant;
    this.#sign = sign;
  }

  /** Signed once per audience, of which there are few. */
  signedFor(audience: string): Promise<string> {
    let signed = this.#signed.get(audience);
    if (!signed) {
      signed = this.#sign(this.identity, audience);
      this.#signed.set(audience, signed);
    }
    return signed;
  }
}
