import type { registrationChanged } from '@botyard/contracts/events/webhooks';
import type { Received } from '@botyard/shared/bus/consumer';
import type { TenantTx } from '@botyard/shared/db/database';
import { saveRegistration } from '../store/integrations.ts';

/** What the platform says of a webhook becomes readable on its integration. */
export function onRegistrationChanged(
  tx: TenantTx,
  { data }: Received<typeof registrationChanged>,
): Promise<void> {
  return saveRegistration(tx, data);
}
