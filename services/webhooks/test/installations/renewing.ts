import { integrationBinding } from '@botyard/contracts/events/tenancy';
import type { SlackSecrets } from '@botyard/contracts/platforms/slack';
import { Keyring } from '@botyard/shared/secrets/keyring';
import { openJson } from '@botyard/shared/secrets/sealed-json';
import type { CallFilter } from '@botyard/testing/fake/fake-server';
import type { Installation } from '@botyard/testing/slack/types';
import { expect } from 'vitest';
import { type Begun, type InstallingServices, install, integrationsOf } from './installing-services.ts';

/** The first token is due within a second; the next ones live as long as the platform's. */
export const rotation = { lives: [1, 12 * 3600], graceMs: 60_000 };

export interface Connected extends Begun {
  integrationId: string;
  installation: Installation;
}

export const isRenewal: CallFilter = ({ params }) => params.grant_type === 'refresh_token';

export const renewalsAt = ({ slack }: InstallingServices): number =>
  slack.calls.filter((call) => call.operation === 'oauth.v2.access' && isRenewal(call)).length;

/** A bot in a workspace, whose token is due. */
export async function connect(services: InstallingServices): Promise<Connected> {
  const { slack, acme } = services;
  const begun = await install(services, acme, { place: { teamId: slack.world.addTeam() } });
  expect(begun.answer.status).toBe(200);
  const [integration] = await integrationsOf(services, begun);
  return {
    ...begun,
    integrationId: integration!.integrationId,
    installation: slack.apps.installations.at(-1)!,
  };
}

type Table = 'tenancy.integrations' | 'webhooks.endpoints';

/** The secrets of an integration, as a service has stored them. */
export async function secretsIn(
  { harness }: InstallingServices,
  table: Table,
  { integrationId, people: { tenantId } }: Connected,
): Promise<Partial<SlackSecrets> | undefined> {
  const [row] = await harness.asOwner<{ sealed: string | null }>(
    `select sealed_secrets as sealed from ${table} where integration_id = $1`,
    [integrationId],
  );
  if (!row?.sealed) return undefined;
  const binding = integrationBinding({ tenantId, integrationId });
  return (await openJson(Keyring.parse(harness.secretsKeys), row.sealed, binding)) as Partial<SlackSecrets>;
}

/** Whether both services have the platform's newest token, and nothing is left to do now. */
export async function isRenewed(services: InstallingServices, connected: Connected): Promise<boolean> {
  const { token, issued } = connected.installation;
  if (issued.length < 2) return false;
  for (const table of ['tenancy.integrations', 'webhooks.endpoints'] as const)
    if ((await secretsIn(services, table, connected))?.botToken !== token) return false;
  const rows = await services.harness.asOwner(
    `select from webhooks.endpoints where integration_id = $1 and renewed_secrets is null
     and registration_lease_until is null and renewal_due_at > now() + interval '9 hours'`,
    [connected.integrationId],
  );
  return rows.length === 1;
}
