import { eventually } from '@botyard/testing/eventually';
import { ServiceHarness } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Pairs } from '../rig/pairs.ts';

const isFull = process.env.BOTYARD_FAULTS === 'full';
const leastRequests = isFull ? 20_000 : 2000;
const timeoutMs = isFull ? 1_800_000 : 600_000;
const callers = 8;
const paired = ['tenancy', 'usage', 'gateway'] as const;

let harness: ServiceHarness;
let pairs: Pairs;
beforeAll(async () => {
  harness = await ServiceHarness.open();
  pairs = await Pairs.start({
    harness,
    services: paired,
    envOf: () => ({ MESSENGER_API_URL: 'http://nowhere.invalid' }),
  });
});
afterAll(async () => {
  await pairs?.stop();
  await harness?.close();
});

const json = { 'content-type': 'application/json' };
async function read<Body>(path: string, init?: RequestInit): Promise<{ status: number; body: Body }> {
  const response = await pairs.call(path, init);
  return { status: response.status, body: (await response.json()) as Body };
}

interface Round {
  state: string;
  reason: string | null;
  instances: { state: string }[];
}
const restartPath = (service: string) => `/api/system/services/${service}/restart`;

async function restart(service: string): Promise<Round> {
  const begun = await read<Round>(restartPath(service), { method: 'POST' });
  expect(begun).toMatchObject({ status: 202, body: { state: 'running' } });
  expect((await read(restartPath(service), { method: 'POST' })).status).toBe(409);
  return await eventually(`${service} is restarted`, async () => {
    const { body } = await read<Round>(restartPath(service));
    return body.state === 'running' ? undefined : body;
  });
}

test(
  `F-28: two processes each of ${paired.join(', ')} are restarted one after another: 0 failed requests (P19)`,
  async () => {
    const { body } = await read<{ tenantId: string }>('/api/bots/tenants', {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ name: 'Busy' }),
    });
    const select = { method: 'POST', headers: json, body: JSON.stringify({ tenantId: body.tenantId }) };
    const requests: [string, RequestInit?][] = [
      ['/api/current-user'],
      [`/api/usage/${body.tenantId}`],
      ['/api/tenant/select', select],
      [`/api/bots/tenants/${body.tenantId}`],
    ];
    const failures: string[] = [];
    let sent = 0;
    let isOver = false;
    const call = async () => {
      while (!isOver) {
        const [path, init] = requests[sent % requests.length]!;
        sent += 1;
        try {
          const response = await pairs.call(path, init);
          const text = await response.text();
          if (!response.ok) failures.push(`${path}: ${response.status} ${text}`);
        } catch (error) {
          failures.push(`${path}: ${String((error as Error).cause ?? error)}`);
        }
      }
    };
    const load = Promise.all(Array.from({ length: callers }, call));
    const before = new Map(pairs.starts);
    let rounds = 0;
    try {
      for (; sent < leastRequests; rounds += 1) {
        for (const service of paired) {
          const round = await restart(service);
          expect(round).toMatchObject({ state: 'done', reason: null });
          expect(round.instances.map(({ state }) => state)).toEqual(['restarted', 'restarted']);
        }
      }
    } finally {
      isOver = true;
    }
    await load;
    for (const [name, starts] of pairs.starts) expect(starts, name).toBe((before.get(name) ?? 0) + rounds);
    process.stdout.write(
      `F-28: ${sent} requests over ${rounds * paired.length * 2} restarts, ${failures.length} failed\n`,
    );
    expect(failures).toEqual([]);
  },
  timeoutMs,
);

test('the inventory has every process, and a service that does not run as missing', async () => {
  const { body } =
    await read<{ serviceName: string; state: string; instances: object[] }[]>('/api/system/services');
  const states = body.map(({ serviceName, state, instances }) => [serviceName, state, instances.length]);
  expect(states).toEqual([
    ['gateway', 'ready', 2],
    ['tenancy', 'ready', 2],
    ['keys', 'missing', 0],
    ['usage', 'ready', 2],
    ['webhooks', 'missing', 0],
    ['agents', 'missing', 0],
  ]);
  expect((await read(restartPath('keys'), { method: 'POST' })).status).toBe(409);
  expect((await read(restartPath('nothing'), { method: 'POST' })).status).toBe(404);
});
