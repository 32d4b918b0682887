import { isConnectionFailure } from '@botyard/shared/db/failures';
import { expect, test } from 'vitest';

test.each([
  'ECONNREFUSED',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
  '28P01',
  '57P01',
  '53300',
])("%s means that the database can't be reached, however deeply it is nested", (code) => {
  const error = new Error('outside', { cause: Object.assign(new Error('inside'), { code }) });
  expect(isConnectionFailure(error)).toBe(true);
});

test.each(['23505', '40001', 'ERR_ASSERTION'])('%s is about the work, not about the connection', (code) => {
  expect(isConnectionFailure(Object.assign(new Error('failed'), { code }))).toBe(false);
});
