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

/** Installs the installation's own app for tenants (OAuth). */
export interface Installer {
  /** The platform's page on which a person allows the installation. The state comes back with them. */
  authorizeUrl(redirectUri: string, state: string): string;
  /**
   * Exchanges the code that came back for the account and its secrets. Never throws, and ends with the signal. A code
   * can be used once.
   */
  complete(grant: { code: string; redirectUri: string; signal: AbortSignal }): Promise<CheckedAccount>;
}
