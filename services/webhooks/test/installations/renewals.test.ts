import { randomUUID } from 'node:crypto';
import { integrationBinding } from '@botyard/contracts/events/tenancy';
import { renewSecrets } from '@botyard/contracts/events/tenancy-installations';
import { ask } from '@botyard/shared/bus/requests';
import { Keyring } from '@botyard/shared/secrets/keyring';
import { sealJson } from '@botyard/shared/secrets/sealed-json';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  closeInstallingServices,
  type InstallingServices,
  integrationsOf,
  openInstallingServices,
  startWebhooks,
} from './installing-services.ts';
import { connect, isRenewal, isRenewed, renewalsAt, rotation, secretsIn } from './renewing.ts';

let services: InstallingServices;

beforeAll(async () => {
  services = await openInstallingServices({ rotation });
  await startWebhooks(services);
});
beforeEach(() => services.slack.clearFaults());
afterAll(() => closeInstallingServices(services));

const refuse = (error: string) =>
  services.slack.fail('oauth.v2.access', { status: 200, body: { ok: false, error }, on: isRenewal });

test('a token is renewed once before it expires, whatever the number of processes', async () => {
  const before = renewalsAt(services);
  const connected = await connect(services);
  await eventually('the token is renewed', () => isRenewed(services, connected));
  expect(renewalsAt(services) - before).toBe(1);
  const [integration] = await integrationsOf(services, connected);
  const shown = `…${connected.installation.token.slice(-4)}`;
  expect(integration!.maskedCredentials.botToken).toBe(shown);
});

test('a renewal without an answer is repeated, and the newest token counts', async () => {
  services.slack.fail('oauth.v2.access', { cut: 'after', on: isRenewal });
  const connected = await connect(services);
  await eventually('the token is renewed', () => isRenewed(services, connected));
  expect(connected.installation.issued).toHaveLength(3);
});

test.each(['invalid_refresh_token', 'token_revoked'])(
  'an integration whose renewal is refused with %s fails with the reason, and keeps no token',
  async (error) => {
    refuse(error);
    const connected = await connect(services);
    await eventually('the integration has failed', async () => {
      const [integration] = await integrationsOf(services, connected);
      return (integration!.registration as { state: string }).state === 'failed';
    });
    const [integration] = await integrationsOf(services, connected);
    expect(integration!.registration).toMatchObject({ lastError: `${error}: install the app again` });
    const secrets = await secretsIn(services, 'tenancy.integrations', connected);
    expect(Object.keys(secrets!)).toEqual(['directMessages']);
    await eventually('webhooks has no secrets', async () => {
      const rows = await services.harness.asOwner(
        `select from webhooks.endpoints where integration_id = $1 and sealed_secrets is null
         and renewed_secrets is null and renewal_due_at is null`,
        [connected.integrationId],
      );
      return rows.length === 1;
    });
  },
);

test('a late renewal, or its refusal, changes nothing about an app that was installed again', async () => {
  const connected = await connect(services);
  await eventually('the token is renewed', () => isRenewed(services, connected));
  const { integrationId, botId, people } = connected;
  const ids = { tenantId: people.tenantId, botId, integrationId };
  const keyring = Keyring.parse(services.harness.secretsKeys);
  const bus = await services.harness.busAs('webhooks');
  const late = { replaced: { botToken: 'xoxe.xoxb-of-before' }, renewed: { botToken: 'xoxe.xoxb-late' } };
  const sealedRenewal = await sealJson(keyring, late, integrationBinding(ids));
  for (const refusal of [undefined, 'invalid_refresh_token'])
    expect(await ask(bus, renewSecrets, { ...ids, sealedRenewal, ...(refusal ? { refusal } : {}) })).toEqual({
      outcome: 'outdated',
    });
  const foreign = { ...ids, integrationId: ids.botId };
  expect(await ask(bus, renewSecrets, { ...foreign, sealedRenewal })).toEqual({ outcome: 'not readable' });
  expect(await isRenewed(services, connected)).toBe(true);
});

test('a tenant with 10,000 tokens to renew does not delay the renewal of another one', async () => {
  const { slack, harness } = services;
  const tenantId = randomUUID();
  const keyring = Keyring.parse(harness.secretsKeys);
  const secrets = {
    botToken: 'xoxe.xoxb-old',
    appId: 'A1',
    botUserId: 'U1',
    botId: 'B1',
    refreshToken: 'xoxe-unknown',
    renewTokenAt: new Date(0).toISOString(),
  };
  const integrationIds = Array.from({ length: 10_000 }, () => randomUUID());
  const sealed = await Promise.all(
    integrationIds.map((integrationId) =>
      sealJson(keyring, secrets, integrationBinding({ tenantId, integrationId })),
    ),
  );
  const waiting = async () => {
    const [row] = await harness.asOwner<{ count: number }>(
      `select count(*)::int as count from webhooks.endpoints where tenant_id = $1 and renewal_due_at <= now()`,
      [tenantId],
    );
    return row!.count;
  };
  const before = renewalsAt(services);
  slack.delay('oauth.v2.access', 500);
  await harness.asOwner(
    `insert into webhooks.endpoints
       (tenant_id, integration_id, bot_id, integration_type, is_enabled, revision, sealed_secrets, renewal_due_at)
     select $1, id, gen_random_uuid(), 'slack', true, 1, sealed, now() - interval '1 day'
     from unnest($2::uuid[], $3::text[]) as u (id, sealed)`,
    [tenantId, integrationIds, sealed],
  );
  await eventually('its renewals have begun', () => renewalsAt(services) > before);
  const other = await connect(services);
  await eventually('the other token is renewed', () => isRenewed(services, other));
  // In ten slots they take more than eight minutes.
  expect(await waiting()).toBeGreaterThan(0);
  slack.delay('oauth.v2.access', 0);
  await harness.asOwner('delete from webhooks.endpoints where tenant_id = $1', [tenantId]);
});
