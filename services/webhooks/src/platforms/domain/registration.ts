import { createHash } from 'node:crypto';
import type { endpoints } from '../../store/schema.ts';
import type { RepairReason } from '../../store/webhook-checks-schema.ts';

/** The result of a registration. `retryInMs: null`: a retry is useless until the integration is changed. */
export type Registration =
  | {
      state: 'registered';
      fingerprint: string;
      pendingUpdates: number;
      lastError?: string | undefined;
      /** The reason for registering again, although nothing here had changed. */
      repair?: RepairReason | undefined;
      answeredErrorAt?: Date | undefined;
    }
  | { state: 'pending' | 'failed'; lastError: string; retryInMs: number | null };

/** Known facts for a mere check of an integration. */
export interface Check {
  /** Delivery errors up to this moment have already been handled. */
  answeredErrorAt: Date | null;
  /** Waits before the next call for the same bot. */
  pause(): Promise<void>;
}

export type KnownRegistration = Pick<
  typeof endpoints.$inferSelect,
  'tenantId' | 'integrationId' | 'registeredFingerprint' | 'registrationAttempts'
> & {
  check?: Check | undefined;
};

/** Identifies what was registered, without its secrets. */
export const fingerprintOf = (...registered: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(registered)).digest('base64url');
