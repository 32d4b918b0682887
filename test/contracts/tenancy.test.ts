import { type FakeMessenger, startFakeMessenger } from '@botyard/testing/fake-messenger';
import { afterAll, beforeAll } from 'vitest';
import { tenancyTables } from './cases/tenancy.ts';
import { checkContracts } from './support/check-contracts.ts';
import { LoneService } from './support/lone-service.ts';

let messenger: FakeMessenger;
let lone: LoneService;

beforeAll(async () => {
  messenger = await startFakeMessenger();
  lone = await LoneService.open('tenancy', {
    MESSENGER_API_URL: messenger.url,
    IDP_API_URL: 'http://idp.invalid/v1',
  });
});
afterAll(async () => {
  await lone?.close();
  await messenger?.close();
});

checkContracts(
  'tenancy',
  () => lone,
  tenancyTables(() => messenger),
);
