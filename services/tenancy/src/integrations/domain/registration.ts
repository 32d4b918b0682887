import type { IntegrationState } from '@botyard/contracts/events/tenancy';
import type { Registration } from '@botyard/contracts/http/bot-integrations';
import { platformCapabilities } from '@botyard/contracts/http/platform';
import type { IntegrationRow } from '../store/integrations.ts';

/** The platform's last report about an integration's webhook, for display. */
export const toRegistration = (row: IntegrationRow): Registration => ({
  state: stateOf(row),
  ...errorOf(row.accountReason ?? row.registrationError),
  ...(row.pendingUpdates === null ? {} : { pendingUpdates: row.pendingUpdates }),
  ...(row.registrationCheckedAt === null ? {} : { checkedAt: row.registrationCheckedAt.toISOString() }),
  ...(row.firstDeliveryAt === null ? {} : { firstDeliveryAt: row.firstDeliveryAt.toISOString() }),
  ...(row.registrationMode === null ? {} : { mode: row.registrationMode }),
});

const stateOf = (row: IntegrationRow): Registration['state'] => {
  if (row.accountState === 'removed') return 'failed';
  return isAwaitingFirstDelivery(row) ? 'awaiting_first_delivery' : row.registrationState;
};

const errorOf = (lastError: string | null) => (lastError === null ? {} : { lastError });

/** Without a registration of ours, only a delivery shows that the platform knows our address. */
const isAwaitingFirstDelivery = ({ integrationType, registrationState, firstDeliveryAt }: IntegrationRow) =>
  !platformCapabilities[integrationType].registersWebhook &&
  registrationState === 'registered' &&
  firstDeliveryAt === null;

/** An integration as it is announced to the webhooks service. */
export function toIntegrationState(row: IntegrationRow): IntegrationState {
  const { tenantId, integrationId, botId, integrationType, isEnabled, sealedSecrets, revision } = row;
  const { address, provenDomain, accountId, accountState } = row;
  return {
    tenantId,
    integrationId,
    botId,
    integrationType,
    isEnabled,
    sealedSecrets,
    revision,
    ...(address === null ? {} : { address }),
    ...(provenDomain === null ? {} : { provenDomain }),
    ...(accountId === null ? {} : { accountId }),
    ...(accountState === 'removed' ? { isWithoutAccount: true } : {}),
  };
}
