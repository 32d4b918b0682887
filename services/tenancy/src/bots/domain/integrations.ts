import { integrationDeleted, integrationSaved } from '@botyard/contracts/events/tenancy';
import type { CreateIntegrationBody, UpdateIntegrationBody } from '@botyard/contracts/http/bot-integrations';
import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import { invalid, notFound } from '@botyard/shared/http/errors';
import { v7 as uuidv7 } from 'uuid';
import { toIntegrationState } from '../../integrations/domain/registration.ts';
import {
  deleteIntegration as deleteIntegrationRow,
  getIntegration,
  type IntegrationKey,
  type IntegrationRow,
  insertIntegration,
  lockIntegration,
  updateIntegration as updateIntegrationRow,
} from '../../integrations/store/integrations.ts';
import { lockProvenDomains } from '../../mail-domains/store/mail-domains.ts';
import type { Deps } from '../deps.ts';
import { getBot, lockBot } from '../store/bots.ts';
import {
  changeSecrets,
  createSecrets,
  isRegisteredAnew,
  reviewConnection,
  type Tried,
} from './connections.ts';

/**
 * Connects a bot to a platform. Credentials are tried there before anything is stored.
 * @throws HttpError 404 for an unknown bot, 409 for an account in use or a second integration of the type, 422
 * for a rejected token or an address for which nothing could be sent, 503 when the platform doesn't answer.
 */
export async function createIntegration(
  deps: Deps,
  bot: { tenantId: string; botId: string },
  body: CreateIntegrationBody,
): Promise<Tried<IntegrationRow>> {
  const { tenantId, botId } = bot;
  found(await withTenant(deps.database, [tenantId], (tx) => getBot(tx, tenantId, botId)), 'bot');
  const key = { tenantId, botId, integrationId: uuidv7() };
  const { integrationType, enabled: isEnabled } = body;
  const { result: stored, warnings } = await createSecrets(deps, key, body);
  const result = await withTenant(deps.database, [tenantId], async (tx) => {
    if (!(await lockBot(tx, bot, 'key share'))) throw notFound('bot');
    const proven = await lockProvenDomains(tx, tenantId);
    const review = reviewConnection(deps, integrationType, { ...key, ...stored, isEnabled }, proven);
    const row = await insertIntegration(tx, { ...key, ...stored, ...review, integrationType, isEnabled });
    await deps.outbox.emit(tx, integrationSaved, toIntegrationState(row));
    return row;
  });
  return { result, warnings };
}

/** Changes the fields in the body. A new token is checked first. @throws HttpError as `createIntegration`. */
export async function updateIntegration(
  deps: Deps,
  key: IntegrationKey,
  body: UpdateIntegrationBody,
): Promise<Tried<IntegrationRow>> {
  const storedIntegration = await withTenant(deps.database, [key.tenantId], (tx) => getIntegration(tx, key));
  if (!storedIntegration) throw notFound('integration');
  const { integrationType = storedIntegration.integrationType } = body;
  if (integrationType !== storedIntegration.integrationType) throw invalid([otherType]);
  const { result: change, warnings } = await changeSecrets(deps, storedIntegration, body);
  const result = await withTenant(deps.database, [key.tenantId], async (tx) => {
    // Locked before the integration, in the same order everywhere.
    const proven = await lockProvenDomains(tx, key.tenantId);
    const row = found(await lockIntegration(tx, key), 'integration');
    const changed = { ...(await change(row)), isEnabled: body.enabled ?? row.isEnabled };
    const review = reviewConnection(deps, integrationType, { ...row, ...changed }, proven);
    const registration = isRegisteredAnew(integrationType, body) ? notYetRegistered : {};
    const updated = await updateIntegrationRow(tx, key, {
      ...changed,
      ...registration,
      ...review,
      integrationType,
    });
    await deps.outbox.emit(tx, integrationSaved, toIntegrationState(updated));
    return updated;
  });
  return { result, warnings };
}

const otherType = { path: ['integrationType'], message: 'can not be changed: create another integration' };

/** The state until the registration at the platform. */
const notYetRegistered = {
  registrationState: 'pending',
  registrationError: null,
  registrationCheckedAt: null,
} as const;

/** @throws HttpError 404. */
export async function deleteIntegration(deps: Deps, key: IntegrationKey): Promise<void> {
  await withTenant(deps.database, [key.tenantId], async (tx) => {
    if (!(await removeIntegration(deps, tx, key))) throw notFound('integration');
  });
}

/** Deletes an integration and announces that in the caller's transaction. Returns `false` when there is none. */
export async function removeIntegration(deps: Deps, tx: TenantTx, key: IntegrationKey): Promise<boolean> {
  const row = await deleteIntegrationRow(tx, key);
  if (!row) return false;
  await deps.outbox.emit(tx, integrationDeleted, { ...key, revision: row.revision + 1 });
  return true;
}
