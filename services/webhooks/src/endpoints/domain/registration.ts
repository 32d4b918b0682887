import type { EndpointRow } from '../store/endpoints.ts';
import type { RepairReason } from '../store/webhook-checks.ts';

/** What a try came to. `retryInMs: null` means that trying again is of no use until the integration is changed. */
export type Registration =
  | {
      state: 'registered';
      fingerprint: string;
      pendingUpdates: number;
      lastError?: string | undefined;
      /** Why it was set again, although nothing here had changed. */
      repair?: RepairReason | undefined;
      answeredErrorAt?: Date | undefined;
    }
  | { state: 'pending' | 'failed'; lastError: string; retryInMs: number | null };

/** What is known when an integration is only looked after. */
export interface Check {
  /** Delivery errors up to this moment are answered already. */
  answeredErrorAt: Date | null;
  /** Waits before the next call for the same bot. */
  pause(): Promise<void>;
}

export type KnownRegistration = Pick<EndpointRow, 'registeredFingerprint' | 'registrationAttempts'> & {
  check?: Check | undefined;
};
