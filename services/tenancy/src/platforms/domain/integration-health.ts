import { countTraffic } from '@botyard/contracts/events/agents-people';
import { checkEndpoint, listEndpointHealth } from '@botyard/contracts/events/webhook-requests';
import { type Page, type PageRequest, pageOf } from '@botyard/contracts/http/page';
import { platformCapabilities } from '@botyard/contracts/http/platform';
import type { IntegrationHealth } from '@botyard/contracts/http/platforms';
import { ask } from '@botyard/shared/bus/requests';
import { withTenant } from '@botyard/shared/db/database';
import { conflict, notFound } from '@botyard/shared/http/errors';
import { toRegistration } from '../../integrations/domain/registration.ts';
import { type IntegrationFilter, listIntegrationsOfTenant } from '../../integrations/store/integrations.ts';
import type { Deps } from '../deps.ts';
import { noSending, noTraffic } from './platform-stats.ts';

/** A page of a tenant's integrations with their health. @throws HttpError 503 when a service doesn't answer. */
export async function listHealth(
  { bus, database }: Pick<Deps, 'bus' | 'database'>,
  tenantId: string,
  query: PageRequest & IntegrationFilter,
): Promise<Page<IntegrationHealth>> {
  const rows = await withTenant(database, [tenantId], (tx) => listIntegrationsOfTenant(tx, tenantId, query));
  const { items, next } = pageOf(
    rows,
    query,
    (row) => row,
    ({ integration }) => integration.integrationId,
  );
  if (items.length === 0) return { items: [] };
  const [{ traffic }, { endpoints }] = await Promise.all([
    ask(bus, countTraffic, {
      tenantId,
      botIds: [...new Set(items.map(({ integration }) => integration.botId))],
    }),
    ask(bus, listEndpointHealth, {
      tenantId,
      integrationIds: items.map(({ integration }) => integration.integrationId),
    }),
  ]);
  const health = items.map(({ integration, botName }): IntegrationHealth => {
    const { integrationId, botId, integrationType: platform, isEnabled } = integration;
    return {
      ...(traffic.find((row) => row.botId === botId && row.platform === platform) ?? noTraffic),
      webhook: null,
      ...(endpoints.find((row) => row.integrationId === integrationId) ?? noSending),
      integrationId,
      botId,
      botName,
      platform,
      enabled: isEnabled,
      registration: toRegistration(integration),
    };
  });
  return { items: health, next };
}

/** @throws HttpError 404, 503. */
export async function getHealth(
  deps: Pick<Deps, 'bus' | 'database'>,
  tenantId: string,
  integrationId: string,
): Promise<IntegrationHealth> {
  const { items } = await listHealth(deps, tenantId, { integrationId, limit: 1 });
  const [health] = items;
  if (!health) throw notFound('integration');
  return health;
}

/** Has the platform check an integration now. @throws HttpError 404, 409 if there is no webhook to check, 503. */
export async function requestCheck(
  deps: Pick<Deps, 'bus' | 'database'>,
  tenantId: string,
  integrationId: string,
): Promise<IntegrationHealth> {
  const health = await getHealth(deps, tenantId, integrationId);
  if (!platformCapabilities[health.platform].registersWebhook)
    throw conflict('this platform has no webhook to check');
  const { isKnown } = await ask(deps.bus, checkEndpoint, { tenantId, integrationId });
  if (!isKnown)
    throw conflict('the integration is being registered: poll it until that is done, then check again');
  return health;
}
