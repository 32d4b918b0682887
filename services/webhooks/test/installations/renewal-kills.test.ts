import { eventually } from '@botyard/testing/eventually';
import type { TestService } from '@botyard/testing/service-harness';
import type { ServiceProcess } from '@botyard/testing/service-process';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  closeInstallingServices,
  envOfWebhooks,
  type InstallingServices,
  openInstallingServices,
  startTenancy,
} from './installing-services.ts';
import { type Connected, connect, isRenewal, isRenewed, rotation } from './renewing.ts';

let services: InstallingServices;
let running: TestService & ServiceProcess;

const start = async (started: Pick<InstallingServices, 'harness' | 'slack' | 'app'>) => {
  running = await started.harness.startProcess('webhooks', envOfWebhooks(started));
  return running;
};

beforeEach(async () => {
  services = await openInstallingServices({ rotation }, start);
});
afterEach(() => closeInstallingServices(services));

async function kill(): Promise<void> {
  running.signal('SIGKILL');
  await running.ended;
  // Its lease ends after half a minute, for which nobody has to wait here.
  await services.harness.asOwner('update webhooks.endpoints set registration_lease_until = now()');
}

const isKept = async ({ integrationId }: Connected) => {
  const rows = await services.harness.asOwner(
    'select from webhooks.endpoints where integration_id = $1 and renewed_secrets is not null',
    [integrationId],
  );
  return rows.length === 1;
};

test('killed before the answer was stored: the former refresh token renews once more', async () => {
  services.slack.fail('oauth.v2.access', { hang: 'after', on: isRenewal });
  const connected = await connect(services);
  await eventually('the platform has renewed', () => connected.installation.issued.length === 2);
  await kill();
  expect(await isKept(connected)).toBe(false);
  await start(services);
  await eventually('the token is renewed', () => isRenewed(services, connected));
  expect(connected.installation.issued).toHaveLength(3);
});

test('killed while tenancy was away: the stored token is saved, without another renewal', async () => {
  services.slack.fail('oauth.v2.access', { status: 503, on: isRenewal, times: 1000 });
  const connected = await connect(services);
  await services.tenancy.stop();
  services.slack.clearFaults();
  await eventually('the renewed token is stored', () => isKept(connected));
  await kill();
  services.tenancy = await startTenancy(services);
  await start(services);
  await eventually('the token is renewed', () => isRenewed(services, connected));
  expect(connected.installation.issued).toHaveLength(2);
});

test('killed after tenancy has saved the token: it is renewed no second time', async () => {
  const connected = await connect(services);
  await eventually('tenancy has the new token', async () => {
    const rows = await services.harness.asOwner(
      'select from tenancy.integrations where integration_id = $1 and revision = 2',
      [connected.integrationId],
    );
    return rows.length === 1;
  });
  await kill();
  await start(services);
  await eventually('the token is renewed', () => isRenewed(services, connected));
  expect(connected.installation.issued).toHaveLength(2);
});
