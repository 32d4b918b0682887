import { type FakeMessenger, startFakeMessenger } from '@botyard/testing/fake-messenger';
import { afterAll, beforeAll } from 'vitest';
import { tenancyTables } from './cases/tenancy.ts';
import { checkContracts } from './support/check-contracts.ts';
import { ServiceUnderTest } from './support/service-under-test.ts';

let messenger: FakeMessenger;
let sut: ServiceUnderTest;

beforeAll(async () => {
  messenger = await startFakeMessenger();
  sut = await ServiceUnderTest.open('tenancy', {
    MESSENGER_API_URL: messenger.url,
    IDP_API_URL: 'http://idp.invalid/v1',
  });
});
afterAll(async () => {
  await sut?.close();
  await messenger?.close();
});

checkContracts(
  'tenancy',
  () => sut,
  tenancyTables(() => messenger),
);
