import type { Registration } from '@botyard/contracts/http/bot-integrations';
import { platformCapabilities } from '@botyard/contracts/http/platform';
import type { IntegrationRow } from '../store/integrations.ts';

/** What the platform said of an integration's webhook, as it is shown. */
export const toRegistration = (row: IntegrationRow): Registration => ({
  state: isAwaitingFirstDelivery(row) ? 'awaiting_first_delivery' : row.registrationState,
  ...(row.registrationError === null ? {} : { lastError: row.registrationError }),
  ...(row.pendingUpdates === null ? {} : { pendingUpdates: row.pendingUpdates }),
  ...(row.registrationCheckedAt === null ? {} : { checkedAt: row.registrationCheckedAt.toISOString() }),
  ...(row.registrationMode === null ? {} : { mode: row.registrationMode }),
});

/** Where we register nothing, only a delivery shows that the platform knows our address. */
const isAwaitingFirstDelivery = ({ integrationType, registrationState, firstDeliveryAt }: IntegrationRow) =>
  !platformCapabilities[integrationType].registersWebhook &&
  registrationState === 'registered' &&
  firstDeliveryAt === null;
