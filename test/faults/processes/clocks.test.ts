import { generateIdentityKeys } from '@botyard/shared/auth/identity';
import { eventually } from '@botyard/testing/eventually';
import { ServiceHarness } from '@botyard/testing/service-harness';
import { type ServiceProcess, startServiceProcess } from '@botyard/testing/service-process';
import { skewedClock } from '@botyard/testing/skewed-clock';
import { afterAll, beforeAll, expect, test } from 'vitest';

const minutes10 = 10 * 60_000;
/** This service simulates the others: they only have to report their time. */
const names = ['TENANCY', 'KEYS', 'USAGE', 'WEBHOOKS', 'AGENTS'];

let harness: ServiceHarness;
beforeAll(async () => {
  harness = await ServiceHarness.open();
});
afterAll(() => harness?.close());

const readJson = async (url: string) => {
  const response = await fetch(url);
  const body = (await response.json()) as {
    checks?: Record<string, string>;
    services?: Record<string, string>;
  };
  return { status: response.status, body };
};
const warnings = ({ logLines }: Pick<ServiceProcess, 'logLines'>) =>
  logLines.filter((line) => line.includes('stalled: clock'));
const offset = async (url: string) =>
  Number(/^clock_offset_seconds\S* (\S+)$/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1]);

test.each([
  [-minutes10, 'behind'],
  [minutes10, 'ahead of'],
])(
  'F-43: a service whose clock is off by %i ms reports it, once in the log, with the remedy',
  async (shiftMs, side) => {
    const skewed = await harness.startProcess('keys', {
      PRIVATE_LLM_BASE_URL: 'http://llm.invalid/v1',
      ...skewedClock(shiftMs),
    });
    const report = await eventually('it is not ready', async () => {
      const { status, body } = await readJson(`${skewed.url}/readyz`);
      return status === 503 && body.checks?.messages;
    });
    expect(report).toMatch(
      new RegExp(`clock: this process's clock is (599|600|601) s ${side} that of Postgres`),
    );
    await eventually('it is logged', () => warnings(skewed).length > 0);
    expect(warnings(skewed)).toHaveLength(1);
    expect(warnings(skewed)[0]).toContain('NTP');
    expect(Math.abs((await offset(skewed.url)) + shiftMs / 1000)).toBeLessThan(2);
    await skewed.stop();
  },
);

test('F-43: a gateway whose clock is 10 minutes behind is not green, and names the services that differ', async () => {
  const right = await harness.startProcess('keys', { PRIVATE_LLM_BASE_URL: 'http://llm.invalid/v1' });
  const { signingKey } = await generateIdentityKeys();
  const gateway = await startServiceProcess('gateway', {
    NODE_ENV: 'test',
    HOST: '127.0.0.1',
    PORT: '0',
    IDENTITY_SIGNING_KEY: signingKey,
    ...Object.fromEntries(names.map((name) => [`${name}_URL`, right.url])),
    ...skewedClock(-minutes10),
  });
  const port = await eventually('it is open', () =>
    gateway.logLines.map((line) => /"port":(\d+).*"msg":"open to the public"/.exec(line)?.[1]).find(Boolean),
  );
  const health = `http://127.0.0.1:${port}/api/health`;
  const body = await eventually('health names the clock', async () => {
    const answer = await readJson(health);
    return answer.status === 503 && answer.body.services?.gateway !== undefined && answer.body;
  });
  expect(body).toMatchObject({
    services: {
      gateway: expect.stringMatching(
        /clock is (59\d|60\d) s behind that of tenancy, keys, usage, webhooks, agents/,
      ),
      keys: 'ok',
    },
  });
  await eventually('it is logged', () => warnings(gateway).length > 0);
  expect(warnings(gateway)).toHaveLength(1);
  expect((await offset(gateway.url)) - minutes10 / 1000).toBeLessThan(3);
  await gateway.stop();
});
