import { afterAll, beforeAll } from 'vitest';
import { usageTables } from './cases/usage.ts';
import { checkContracts } from './support/check-contracts.ts';
import { LoneService } from './support/lone-service.ts';

let lone: LoneService;

beforeAll(async () => {
  lone = await LoneService.open('usage');
});
afterAll(() => lone?.close());

checkContracts('usage', () => lone, usageTables);
