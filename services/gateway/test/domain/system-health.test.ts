import { createLog } from '@botyard/shared/log/log';
import { StallMonitor } from '@botyard/shared/service/stalls';
import { expect, test } from 'vitest';
import { createSystemHealth } from '../../src/domain/system-health.ts';

test('many simultaneous callers cause one round of requests', async () => {
  const { promise: answer, resolve } = Promise.withResolvers<string>();
  let probes = 0;
  const check = createSystemHealth(
    {
      tenancy: () => {
        probes += 1;
        return answer;
      },
    },
    new StallMonitor({ log: createLog('test', 'silent') }),
  );
  const answers = Array.from({ length: 30 }, () => check());
  resolve('ok');
  for (const health of await Promise.all(answers)) expect(health.status).toBe('ok');
  expect(probes).toBe(1);
});
