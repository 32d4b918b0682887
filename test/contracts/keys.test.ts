import { afterAll, beforeAll } from 'vitest';
import { keysTables } from './cases/keys.ts';
import { checkContracts } from './support/check-contracts.ts';
import { LoneService } from './support/lone-service.ts';

let lone: LoneService;

beforeAll(async () => {
  lone = await LoneService.open('keys', {
    OPENAI_BASE_URL: 'http://openai.invalid/v1',
    OPENAI_API_KEY: 'sk-platform-0123456789abcdef',
    ANTHROPIC_BASE_URL: 'http://anthropic.invalid',
  });
});
afterAll(() => lone?.close());

checkContracts('keys', () => lone, keysTables);
