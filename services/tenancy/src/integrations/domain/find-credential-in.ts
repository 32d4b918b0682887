import { platformDefinitions } from '@botyard/contracts/http/platform';
import { withTenant } from '@botyard/shared/db/database';
import type { Deps } from '../deps.ts';
import { type IntegrationRow, listIntegrationsOf } from '../store/integrations.ts';
import { openSealed } from './sealed.ts';

/** Shorter values, such as a name that somebody chose as a secret, would be found in ordinary sentences. */
const minSecretUnits = 12;

/** Whether a text contains a credential or a secret of one of the tenant's integrations. */
export async function isCredentialIn(
  deps: Pick<Deps, 'database' | 'keyring'>,
  { tenantId, text }: { tenantId: string; text: string },
): Promise<boolean> {
  const rows = await withTenant(deps.database, [tenantId], (tx) => listIntegrationsOf(tx, tenantId));
  for (const row of rows) {
    const secrets = await secretsOf(deps, row);
    if (secrets.some((secret) => secret.length >= minSecretUnits && text.includes(secret))) return true;
  }
  return false;
}

/** The credentials and settings that are masked for clients. */
async function secretsOf({ keyring }: Pick<Deps, 'keyring'>, row: IntegrationRow): Promise<string[]> {
  const { credentials, settings, shownWhole } = platformDefinitions[row.integrationType];
  const names = Object.keys({ ...credentials.shape, ...settings.shape }).filter(
    (name) => !shownWhole.includes(name),
  );
  const opened = (await openSealed(keyring, row)) as Record<string, unknown>;
  return names.map((name) => opened[name]).filter((value) => typeof value === 'string');
}
