import { afterAll, beforeAll } from 'vitest';
import { keysTables } from './cases/keys.ts';
import { checkContracts } from './support/check-contracts.ts';
import { ServiceUnderTest } from './support/service-under-test.ts';

let sut: ServiceUnderTest;

beforeAll(async () => {
  sut = await ServiceUnderTest.open('keys', {
    OPENAI_BASE_URL: 'http://openai.invalid/v1',
    OPENAI_API_KEY: 'sk-platform-0123456789abcdef',
    ANTHROPIC_BASE_URL: 'http://anthropic.invalid',
  });
});
afterAll(() => sut?.close());

checkContracts('keys', () => sut, keysTables);
