import { expect, test } from 'vitest';
import { createBalancerNotice } from '../../../src/admission/domain/balancer-notice.ts';

test('a private address over the limit is named once an hour, with a remedy', () => {
  const lines: unknown[][] = [];
  const clock = { ms: 0 };
  const notice = createBalancerNotice(
    { warn: (...line: unknown[]) => void lines.push(line) },
    ['loopback'],
    () => clock.ms,
  );
  for (const address of ['10.1.2.3', '10.1.2.3', '149.154.167.220', 'fd00::7']) notice(address);
  expect(lines.map(([about]) => about)).toEqual([
    { address: '10.1.2.3', trustedProxies: ['loopback'] },
    { address: 'fd00::7', trustedProxies: ['loopback'] },
  ]);
  expect(lines[0]?.[1]).toContain('TRUSTED_PROXIES');
  clock.ms = 3600_000;
  notice('10.1.2.3');
  expect(lines).toHaveLength(3);
});
