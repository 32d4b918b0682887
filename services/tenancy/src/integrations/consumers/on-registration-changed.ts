import type { registrationChanged } from '@botyard/contracts/events/webhooks';
import type { Received } from '@botyard/shared/bus/consumer';
import type { TenantTx } from '@botyard/shared/db/database';
import { saveRegistration } from '../store/integrations.ts';

/** Stores the platform's report about a webhook with its integration. */
export function onRegistrationChanged(
  tx: TenantTx,
  { data }: Received<typeof registrationChanged>,
): Promise<void> {
  return saveRegistration(tx, data);
}
