import { randomBytes } from 'node:crypto';
import { accountBinding } from '@botyard/contracts/events/webhook-accounts';
import { createLog } from '@botyard/shared/log/log';
import { Keyring } from '@botyard/shared/secrets/keyring';
import { Secret } from '@botyard/shared/secrets/secret';
import { eventually } from '@botyard/testing/eventually';
import { type Flood, startFlood } from '@botyard/testing/flood';
import { afterEach, describe, expect, test } from 'vitest';
import { createTrials, tryAccount } from '../../../src/endpoints/domain/check-account.ts';
import type { AccountTrial, CheckedAccount } from '../../../src/platforms/domain/account.ts';
import { createMessengerClient } from '../../../src/platforms/telegram/clients/messenger.ts';
import { checkAccount } from '../../../src/platforms/telegram/domain/check-account.ts';

const keyring = Keyring.parse(`test:${randomBytes(32).toString('base64url')}`);
const log = createLog('webhooks', 'silent');
const acme = { tenantId: 'acme', botId: 'bot', integrationId: 'integration' };

const seal = (key: { tenantId: string; botId: string }) =>
  keyring.seal(
    new Secret(JSON.stringify({ credentials: { botToken: 'token' }, settings: {} })),
    accountBinding(key),
  );

async function trial(
  check: (trial: AccountTrial) => Promise<CheckedAccount>,
  {
    key = acme,
    sealedFor,
    trials = createTrials(),
  }: { key?: typeof acme; sealedFor?: typeof acme; trials?: ReturnType<typeof createTrials> } = {},
) {
  const deps = { keyring, log, platforms: { messenger: { checkAccount: check } } };
  const account = { ...key, platform: 'messenger' as const, sealed: await seal(sealedFor ?? key) };
  return await tryAccount(deps as unknown as Parameters<typeof tryAccount>[0], trials, account);
}

test('what a trial finds is returned sealed for the bot', async () => {
  const answer = await trial(async ({ credentials }) => ({
    outcome: 'ok',
    accountId: '7',
    secrets: { tried: credentials.botToken! },
  }));
  if (answer.outcome !== 'ok') throw new Error(answer.reason);
  expect(answer.accountId).toBe('7');
  const opened = await keyring.open(answer.sealedSecrets, accountBinding(acme));
  expect(JSON.parse(opened.reveal())).toEqual({ tried: 'token' });
});

test('credentials that were sealed for another bot are not tried', async () => {
  const check = () => Promise.reject(new Error('tried'));
  expect(await trial(check, { sealedFor: { ...acme, botId: 'another' } })).toMatchObject({
    outcome: 'failed',
  });
});

test("a tenant's trials that hang hold up no other tenant's, and more of its own are refused", async () => {
  const trials = createTrials(60_000);
  const { promise: hangs, resolve: end } = Promise.withResolvers<CheckedAccount>();
  const hanging = Array.from({ length: 20 }, () => trial(() => hangs, { trials }));
  await eventually("the tenant's share is used up", () => trials.waiting === 16);
  await expect(trial(() => hangs, { trials })).rejects.toMatchObject({ status: 503 });
  const other = { ...acme, tenantId: 'other' };
  const refusal: CheckedAccount = { outcome: 'refused', reason: 'no' };
  expect(await trial(async () => refusal, { trials, key: other })).toEqual(refusal);
  end(refusal);
  await Promise.all(hanging);
});

describe.each([
  ['plain', false],
  ['packed', true],
])('an endless answer of the messenger, %s', (_, isGzip) => {
  let flood: Flood;
  afterEach(() => flood.close());

  test('is cut off at the bound', async () => {
    flood = await startFlood({ isGzip });
    const messenger = createMessengerClient(flood.url, log);
    const credentials = { botToken: `123456789:${'a'.repeat(35)}` };
    const tried = { ...acme, credentials, settings: {}, signal: AbortSignal.timeout(10_000) };
    expect(await checkAccount(messenger, tried)).toMatchObject({ outcome: 'failed' });
    if (!isGzip) expect(flood.sentBytes).toBeLessThan(50 * 1024 * 1024);
  });
});
