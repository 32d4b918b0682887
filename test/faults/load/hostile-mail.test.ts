import { createTenantWithPeople, type People } from '@botyard/testing/people';
import { ServiceHarness, type TestService } from '@botyard/testing/service-harness';
import { anonymous } from '@botyard/testing/test-call';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { encode, newMail, triple } from '../../../services/webhooks/test/mailboxes.ts';
import { printFigures } from '../rig/history.ts';
import { type Box, HostileMails } from './hostile-forms.ts';

const isFull = process.env.BOTYARD_FAULTS === 'full';
const rounds = isFull ? 1000 : 60;
/**
 * A reader whose cost grew with the square of its input took 35 s and more; the rest is for a machine that has much to
 * do.
 */
const maxWaitMs = 15_000;

let harness: ServiceHarness;
let tenancy: TestService;
let webhooks: TestService;
beforeAll(async () => {
  harness = await ServiceHarness.open();
  tenancy = await harness.startProcess('tenancy', { MAILER_DOMAIN: 'bots.example' });
  webhooks = await harness.startProcess('webhooks', { OBJECT_STORE_MAX_MEGABYTES: '512' });
});
afterAll(() => harness?.close());

type Owned = Box & { people: People };

/** A bot with a mailbox to which everybody of `people.example` may write. */
async function newBox(name: string): Promise<Owned> {
  const people = await createTenantWithPeople(harness, tenancy);
  const { tenantId, admin: as } = people;
  const callOk = async (service: TestService, path: string, body: unknown) => {
    const answer = await service.call('POST', path, { as, body });
    if (answer.status !== 201) throw new Error(`${path} answered ${answer.status} ${answer.text}`);
    return answer.body;
  };
  const { botId } = await callOk(tenancy, `/api/bots/${tenantId}/bots`, { name });
  const key = `key-of-${name}`;
  const address = `${name}-${botId}@bots.example`.toLowerCase();
  await callOk(tenancy, `/api/bots/${tenantId}/${botId}/integrations`, {
    integrationType: 'email',
    credentials: { address, apiKey: 'key' },
    settings: { email: { senderPolicy: 'authorized', webhookSigningKey: key } },
  });
  await harness.settled('webhooks', 'tenancy');
  await callOk(webhooks, '/api/email-threads/senders', { botId, kind: 'group', value: 'people.example' });
  return { address, botId, key, people };
}

let addresses = 0;
function forwarded(): Record<string, string> {
  addresses += 1;
  return { 'x-forwarded-for': `10.0.${(addresses >> 8) & 255}.${addresses & 255}` };
}

/** How an attack is answered; all others are mails that are taken. */
const ends: [kind: string, status: string][] = [
  ['7.7 MB', '406'],
  ['in JSON', '400'],
];

const count = (counts: Record<string, number>, status: number): void => {
  counts[status] = (counts[status] ?? 0) + 1;
};

test(`C-03: while the worst mails of one tenant are posted, ${rounds} mails and as many requests of another are answered`, async () => {
  const [hostile, other] = [await newBox('hostile'), await newBox('other')];
  const attackers = new HostileMails(webhooks.url, hostile, async () => ({
    anonymous: await webhooks.identityOf(anonymous),
    admin: await webhooks.identityOf(hostile.people.admin),
  }));
  const answers: Record<string, number> = {};
  const longestMs = { mail: 0, request: 0 };
  const timed = async (kind: 'mail' | 'request', call: () => Promise<{ status: number }>) => {
    const beganAt = performance.now();
    const { status } = await call();
    longestMs[kind] = Math.max(longestMs[kind], performance.now() - beganAt);
    count(answers, status);
  };
  for (let round = 0; round < rounds; round += 1) {
    await timed('mail', async () => {
      const mail = newMail(other, { from: `Ben <ben-${round}@people.example>` });
      const form = await encode({ ...mail, ...triple({ key: other.key }) });
      const options = { as: anonymous, rawBody: form.rawBody, headers: { ...form.headers, ...forwarded() } };
      return await webhooks.call('POST', `/webhooks/email/${other.botId}`, options);
    });
    await timed('request', () =>
      webhooks.call('GET', '/api/email-threads?limit=5', { as: other.people.admin }),
    );
  }
  const attacks = await attackers.close();
  const [{ mails } = { mails: 0 }] = await harness.asOwner<{ mails: number }>(
    `select count(*)::int as mails from webhooks.mails where bot_id = $1 and state = 'admitted'`,
    [other.botId],
  );
  printFigures('C-03', {
    'answered mails and requests of another tenant': JSON.stringify(answers),
    'longest mail, ms': Math.round(longestMs.mail),
    'longest request, ms': Math.round(longestMs.request),
    attacks: JSON.stringify(attacks),
  });
  expect(answers).toEqual({ 200: rounds * 2 });
  expect(mails).toBe(rounds);
  if (isFull) expect(Math.max(longestMs.mail, longestMs.request)).toBeLessThan(maxWaitMs);
  for (const [name, counts] of Object.entries(attacks)) {
    const due = ends.find(([kind]) => name.includes(kind))?.[1] ?? '200';
    const answered = Object.keys(counts);
    expect(answered, name).toContain(due);
    // A mail that takes too long may be retried; every other answer is final.
    expect(
      answered.filter((status) => status !== due && status !== '503'),
      name,
    ).toEqual([]);
  }
}, 400_000);
