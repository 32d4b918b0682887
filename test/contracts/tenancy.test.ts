import { afterAll, beforeAll } from 'vitest';
import { tenancyTables } from './cases/tenancy.ts';
import { checkContracts } from './support/check-contracts.ts';
import { ServiceUnderTest } from './support/service-under-test.ts';

let sut: ServiceUnderTest;

beforeAll(async () => {
  sut = await ServiceUnderTest.open('tenancy', { IDP_API_URL: 'http://idp.invalid/v1' });
});
afterAll(() => sut?.close());

checkContracts('tenancy', () => sut, tenancyTables());
