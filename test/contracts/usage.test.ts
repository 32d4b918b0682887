import { afterAll, beforeAll } from 'vitest';
import { usageTables } from './cases/usage.ts';
import { checkContracts } from './support/check-contracts.ts';
import { ServiceUnderTest } from './support/service-under-test.ts';

let sut: ServiceUnderTest;

beforeAll(async () => {
  sut = await ServiceUnderTest.open('usage');
});
afterAll(() => sut?.close());

checkContracts('usage', () => sut, usageTables);
