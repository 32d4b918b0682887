import type { TriedSecrets } from '@botyard/contracts/events/webhook-accounts';

/** The result of a trial of credentials. `refused`: the platform rejects them. `failed`: it gave no usable answer. */
export type CheckedAccount =
  | {
      outcome: 'ok';
      accountId: string;
      secrets: Readonly<Record<string, string>>;
      warnings?: readonly string[];
    }
  | { outcome: 'refused'; reason: string }
  | { outcome: 'failed'; reason: string; retryInMs?: number };

/** Credentials to try, for a new or changed integration. */
export interface AccountTrial extends TriedSecrets {
  tenantId: string;
  botId: string;
  integrationId: string;
  signal: AbortSignal;
}
