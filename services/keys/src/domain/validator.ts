import type { Validation } from '@botyard/contracts/http/keys';
import { withTenant } from '@botyard/shared/db/database';
import { notFound } from '@botyard/shared/http/errors';
import type { Deps } from '../deps.ts';
import {
  getKeyToValidate,
  type KeyId,
  type KeyToValidate,
  lockKey,
  markActive,
  saveValidation,
} from '../store/keys.ts';
import { markInvalid } from './mark-invalid.ts';
import { openKey } from './open-key.ts';
import { type ValidationOutcome, validationOf, verdicts } from './validation.ts';

type ValidatorDeps = Pick<Deps, 'database' | 'keyring' | 'log' | 'outbox' | 'provider' | 'providers'>;

/**
 * Validates keys with their providers. One call per key at a time in this process, and one in 5 s overall, so that it
 * can't be used to flood a provider.
 */
export class Validator {
  readonly #deps: ValidatorDeps;
  readonly #running = new Map<string, Promise<Validation>>();

  constructor(deps: ValidatorDeps) {
    this.#deps = deps;
  }

  /**
   * Validates a key with its provider. A refused key is marked invalid. A key that the provider had refused and now
   * accepts is active again; a key that a person marked invalid stays invalid. Concurrent calls, and calls within 5 s,
   * share one result. @throws HttpError 404.
   */
  validate(key: KeyId): Promise<Validation> {
    const name = `${key.tenantId}/${key.keyId}`;
    const running = this.#running.get(name);
    if (running !== undefined) return running;
    const starting = this.#validate(key).finally(() => this.#running.delete(name));
    this.#running.set(name, starting);
    return starting;
  }

  async #validate(key: KeyId): Promise<Validation> {
    const { database, log } = this.#deps;
    const row = await withTenant(database, [key.tenantId], (tx) => getKeyToValidate(tx, key));
    if (!row) throw notFound('key');
    const remembered = row.isValidatedJustNow ? validationOf(row) : null;
    if (remembered) return { keyId: key.keyId, ...remembered, isRemembered: true };
    const outcome = await this.#ask(row);
    log.info({ keyId: key.keyId, provider: row.provider, outcome }, 'a key was validated');
    return await this.#keep(row, outcome);
  }

  /** The key is sent only to the host that it was stored for (REQ-REL-16). */
  async #ask(row: KeyToValidate): Promise<ValidationOutcome> {
    const { provider, providers } = this.#deps;
    if (providers[row.provider].host !== row.host) return 'moved';
    const apiKey = await openKey(this.#deps, row);
    return apiKey ? await provider.check(row.provider, apiKey) : 'unreadable';
  }

  async #keep(row: KeyToValidate, outcome: ValidationOutcome): Promise<Validation> {
    const { status } = verdicts[outcome];
    const { tenantId, keyId, readAt } = row;
    return await withTenant(this.#deps.database, [tenantId], async (tx) => {
      const current = await lockKey(tx, row);
      if (!current) throw notFound('key');
      const saved = await saveValidation(tx, row, {
        outcome,
        confirmedAt: status === 'valid' ? readAt : null,
      });
      if (status === 'invalid') await markInvalid(this.#deps, tx, current, 'provider');
      const wasRefusedBefore =
        current.invalidatedBy === 'provider' && current.invalidatedAt && current.invalidatedAt <= readAt;
      if (status === 'valid' && wasRefusedBefore) await markActive(tx, row);
      return { keyId, ...validationOf(saved)!, isRemembered: false };
    });
  }
}
