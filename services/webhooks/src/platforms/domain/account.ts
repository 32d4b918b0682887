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

/** The result of a renewal. `refused`: the platform will never renew them. `failed`: nothing is known about it. */
export type RenewalResult =
  | { outcome: 'ok'; secrets: Readonly<Record<string, string>> }
  | { outcome: 'refused'; reason: string }
  | { outcome: 'failed'; reason: string; retryInMs?: number };

/** Replaces secrets that expire. */
export interface Renewer<Credentials = unknown> {
  /** Names of the secrets that a renewal replaces. */
  readonly replaces: readonly string[];
  /** When the secrets have to be renewed; `undefined` if they don't expire. */
  dueAt(secrets: Credentials): Date | undefined;
  /**
   * Never throws, and ends with the signal. A renewal whose answer got lost is repeated with the former secrets, soon,
   * because a platform accepts them for a short time only.
   */
  renew(secrets: Credentials, signal: AbortSignal): Promise<RenewalResult>;
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
