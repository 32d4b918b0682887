import type { Database } from '@botyard/shared/db/database';
import type { Keyring } from '@botyard/shared/secrets/keyring';
import type { Foundation } from '@botyard/shared/service/foundation';
import type { TenantPurge } from '@botyard/shared/work/tenant-purge';
import type { Counter } from 'prom-client';
import type { MessengerClient } from './clients/messenger.ts';
import type { Admission } from './domain/admission/admission.ts';
import type { Overhearing } from './domain/admission/overhearing.ts';
import type { Endpoints } from './domain/endpoints/endpoints.ts';
import type { VerifyDelivery } from './domain/idp/verify-delivery.ts';

export interface Deps extends Foundation {
  keyring: Keyring;
  messenger: MessengerClient;
  /** A pool of its own: nothing else can keep a delivery waiting (reliability, rule 9). */
  admissionDatabase: Database;
  admission: Admission;
  endpoints: Endpoints;
  overhearing: Overhearing;
  deliveriesCounted: Counter<'verdict' | 'reason'>;
  /** `null` without IDP_WEBHOOK_SECRET: then no delivery of the identity provider is taken. */
  verifyIdpDelivery: VerifyDelivery | null;
  webhookBaseUrl: string;
  /** How often the platform is asked where it delivers to for an integration. */
  webhookCheckEveryMs: number;
  tenantPurge: Pick<TenantPurge, 'wake'>;
  /** Replies may be waiting to be sent. */
  wakeSender: () => void;
  /** Presses of buttons may wait to be acknowledged. */
  wakeCallbacks: () => void;
  /** Registrations may be due. */
  wakeRegistrar: () => void;
  /** Somebody wants an integration checked. */
  wakeChecker: () => void;
  isProduction: boolean;
}
