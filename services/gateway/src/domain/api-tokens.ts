import { createHash } from 'node:crypto';
import { apiTokenPattern } from '@botyard/contracts/http/auth-tokens';
import type { SignIdentity } from '@botyard/shared/auth/identity';
import { LRUCache } from 'lru-cache';
import type { FindApiToken } from '../clients/api-tokens.ts';
import { LookupLane } from './lookup-lane.ts';
import { Principal } from './principal.ts';

export interface ApiTokensOptions {
  find: FindApiToken;
  sign: SignIdentity;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** Called with the outcome of each token. */
  onToken?: (outcome: 'remembered' | 'verified' | 'refused') => void;
}

/** The same as for authorizations while the bus is unavailable (P11). */
const goodForMs = 30_000;
const refusedForMs = 10_000;
const maxRemembered = 10_000;

interface GoodToken {
  readonly tenantId: string;
  /** `null` means that the token was valid, and has to be verified again. */
  principal: Principal | null;
}

/**
 * Verifies API tokens with the tenancy service, by their hash. Answers are cached, and dropped when a change in the
 * token's tenant is announced. Known valid tokens don't wait behind invented ones.
 */
export class ApiTokens {
  readonly #options: ApiTokensOptions;
  readonly #good = new LRUCache<string, GoodToken>({ max: maxRemembered });
  readonly #refusedUntil = new LRUCache<string, number>({ max: maxRemembered });
  readonly #asking = new Map<string, Promise<Principal | null>>();
  readonly #known = new LookupLane({ atOnce: 16, maxWaiting: 1000, maxWaitingOfOne: 1000 });
  readonly #strange = new LookupLane({ atOnce: 4, maxWaiting: 400, maxWaitingOfOne: 16 });
  /** An answer that was pending when a change was announced may predate it, so it isn't cached. */
  #changes = 0;

  constructor(options: ApiTokensOptions) {
    this.#options = options;
  }

  /**
   * The principal of this token from this address; `null` means 401. @throws HttpError 503 when tenancy doesn't answer,
   * or too many unknown tokens are pending.
   */
  verify(token: string, address: string): Principal | null | Promise<Principal | null> {
    const { now, onToken = () => {} } = this.#options;
    if (!apiTokenPattern.test(token)) return this.#refuse();
    const hash = createHash('sha256').update(token).digest('hex');
    const known = this.#good.get(hash);
    if (known?.principal && known.principal.expiresAtMs > now()) {
      onToken('remembered');
      return known.principal;
    }
    if ((this.#refusedUntil.get(hash) ?? 0) > now()) return this.#refuse();
    return this.#asking.get(hash) ?? this.#askOnce(hash, known, address);
  }

  /** Permissions in a tenant have changed, so one of its tokens may be revoked. */
  readonly onAuthorizationChanged = ({ tenantId }: { tenantId: string }): void =>
    this.#forget((known) => known.tenantId === tenantId);

  /** Changes may have been missed. */
  readonly onGap = (): void => this.#forget(() => true);

  #forget(isMeant: (known: GoodToken) => boolean): void {
    this.#changes += 1;
    this.#asking.clear();
    for (const known of this.#good.values()) if (isMeant(known)) known.principal = null;
  }

  /** Concurrent requests share one answer, except those that arrive after a change. */
  #askOnce(hash: string, known: GoodToken | undefined, address: string): Promise<Principal | null> {
    const asking = this.#ask(hash, known, address).finally(() => {
      if (this.#asking.get(hash) === asking) this.#asking.delete(hash);
    });
    this.#asking.set(hash, asking);
    return asking;
  }

  async #ask(hash: string, known: GoodToken | undefined, address: string): Promise<Principal | null> {
    const { find } = this.#options;
    const changesBefore = this.#changes;
    const found = known
      ? await this.#known.run(known.tenantId, () => find(hash))
      : await this.#strange.run(address, () => find(hash));
    return this.#learn(hash, found, { mayRemember: this.#changes === changesBefore });
  }

  #learn(
    hash: string,
    found: Awaited<ReturnType<FindApiToken>>,
    { mayRemember }: { mayRemember: boolean },
  ): Principal | null {
    const { now, sign, onToken = () => {} } = this.#options;
    if (!found) {
      this.#good.delete(hash);
      this.#refusedUntil.set(hash, now() + refusedForMs);
      return this.#refuse();
    }
    onToken('verified');
    const { tokenId, tenantId, expiresInMs } = found;
    const expiresAtMs = now() + Math.min(goodForMs, expiresInMs ?? goodForMs);
    const principal = new Principal({ kind: 'token', tokenId, tenantId }, expiresAtMs, sign);
    if (mayRemember) this.#good.set(hash, { tenantId, principal });
    return principal;
  }

  #refuse(): null {
    this.#options.onToken?.('refused');
    return null;
  }
}
