import { integrationSaved } from '@botyard/contracts/events/tenancy';
import {
  InstalledSecrets,
  type installIntegration as request,
} from '@botyard/contracts/events/tenancy-installations';
import { accountBinding } from '@botyard/contracts/events/webhook-accounts';
import type { Caller } from '@botyard/shared/auth/caller';
import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { HttpError } from '@botyard/shared/http/errors';
import { openJson } from '@botyard/shared/secrets/sealed-json';
import { v7 as uuidv7 } from 'uuid';
import type { z } from 'zod';
import { toIntegrationState } from '../../integrations/domain/registration.ts';
import {
  type IntegrationRow,
  insertIntegration,
  lockIntegrationOfType,
  updateIntegration,
} from '../../integrations/store/integrations.ts';
import type { Deps } from '../deps.ts';
import { lockBot } from '../store/bots.ts';
import { accountColumns, installedSecrets } from './connections.ts';

type Installed = z.output<(typeof request)['request']>;
type Answer = z.input<(typeof request)['response']>;

/**
 * Connects a bot to the account in which the platform's app was installed. The same installation twice is one
 * integration.
 */
export async function installIntegration(deps: Deps, installed: Installed): Promise<Answer> {
  const { tenantId, botId } = installed;
  if (!(await stillAdministers(deps, installed))) return { outcome: 'refused', reason: 'not allowed' };
  const binding = accountBinding({ tenantId, botId });
  const opened = await openJson(deps.keyring, installed.sealedSecrets, binding).catch(() => undefined);
  if (opened === undefined) return { outcome: 'refused', reason: 'not readable' };
  const secrets = InstalledSecrets.parse(opened);
  try {
    return await withTenant(deps.database, [tenantId], async (tx): Promise<Answer> => {
      // Held against another installation for the bot, too, so that there is one integration.
      if (!(await lockBot(tx, { tenantId, botId }, 'update')))
        return { outcome: 'refused', reason: 'bot not found' };
      const row = await saveInstalled(deps, tx, installed, secrets);
      await deps.outbox.emit(tx, integrationSaved, toIntegrationState(row));
      return { outcome: 'installed', integrationId: row.integrationId };
    });
  } catch (error) {
    if (!(error instanceof HttpError) || error.status !== 409) throw error;
    return { outcome: 'refused', reason: 'account in use' };
  }
}

/** Creates the bot's integration, or gives it the account and the secrets; its other settings stay. */
async function saveInstalled(
  { keyring }: Deps,
  tx: TenantTx,
  { tenantId, botId, platform, accountId }: Installed,
  secrets: InstalledSecrets,
): Promise<IntegrationRow> {
  const row = await lockIntegrationOfType(tx, { tenantId, botId, integrationType: platform });
  const key = { tenantId, botId, integrationId: row?.integrationId ?? uuidv7() };
  const stored = {
    ...(await installedSecrets(keyring, key, platform, { secrets, row })),
    ...accountColumns(accountId, null),
  };
  return row
    ? await updateIntegration(tx, key, { ...stored, integrationType: platform })
    : await insertIntegration(tx, { ...key, ...stored, integrationType: platform, isEnabled: true });
}

/** The admin may have left between the beginning and the end of an installation. */
async function stillAdministers(
  { callers }: Pick<Deps, 'callers'>,
  { tenantId, botId, identity }: Installed,
): Promise<boolean> {
  const { caller } = await callers.resolve(identity, { fresh: true, pathTenantId: tenantId });
  return caller !== null && (caller.isOperator || administers(caller, { tenantId, botId }));
}

function administers({ roles, bots }: Caller, bot: { tenantId: string; botId: string }): boolean {
  const tie = bots.get(bot.botId);
  return roles.get(bot.tenantId) === 'admin' || (tie?.tenantId === bot.tenantId && tie.role === 'admin');
}
