import type { Registration } from '@botyard/contracts/http/bot-integrations';
import type { IntegrationRow } from '../../store/integrations.ts';

/** What the platform said of an integration's webhook, as it is shown. */
export const toRegistration = (row: IntegrationRow): Registration => ({
  state: row.registrationState,
  ...(row.registrationError === null ? {} : { lastError: row.registrationError }),
  ...(row.pendingUpdates === null ? {} : { pendingUpdates: row.pendingUpdates }),
  ...(row.registrationCheckedAt === null ? {} : { checkedAt: row.registrationCheckedAt.toISOString() }),
});
