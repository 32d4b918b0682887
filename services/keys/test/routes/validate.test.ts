import { keyInvalidated } from '@botyard/contracts/events/keys';
import { type Fault, listenOnLoopback } from '@botyard/testing/fake/fake-server';
import { type KeyState, startFakeModel } from '@botyard/testing/fake-model';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startKeys, storeKey } from '../keys-services.ts';
import {
  addressesOf,
  forgetLastValidation,
  newKey,
  openProviderServices,
  type ProviderName,
  type ProviderServices,
  shownKey,
  validate,
} from '../provider-services.ts';

let services: ProviderServices;

beforeAll(async () => {
  services = await openProviderServices();
});

beforeEach(() => {
  services.model.clearFaults();
  services.model.forgetKeys();
  services.model.setKey('another key', 'good');
});

afterAll(() => services?.close());

const genuine = /^The key is genuine, but /;

describe("the provider's verdict about the key", () => {
  test.each<[ProviderName, KeyState, string, RegExp | undefined]>([
    ['openai', 'good', 'valid', undefined],
    ['openai', 'bad', 'invalid', /does not accept/],
    ['openai', 'restricted', 'valid', genuine],
    ['openai', 'forbidden', 'valid', genuine],
    ['openai', 'without credit', 'valid', genuine],
    ['openai', 'rate limited', 'unknown', /no more requests/],
    ['anthropic', 'good', 'valid', undefined],
    ['anthropic', 'bad', 'invalid', /does not accept/],
    ['anthropic', 'forbidden', 'valid', genuine],
    ['anthropic', 'without credit', 'valid', genuine],
    ['anthropic', 'on hold', 'valid', genuine],
    ['anthropic', 'rate limited', 'unknown', /no more requests/],
    ['private-llm', 'good', 'valid', undefined],
    ['private-llm', 'bad', 'invalid', /does not accept/],
    ['private-llm', 'forbidden', 'valid', genuine],
  ])('%s, a key that is %s: %s', async (provider, state, status, detail) => {
    const { keyId, apiKey } = await newKey(services, provider);
    services.model.setKey(apiKey, state);
    const answer = await validate(services, keyId);
    const said = { status, ...(detail ? { detail: expect.stringMatching(detail) } : {}) };
    expect(answer).toMatchObject({ status: 200, body: { keyId, ...said, isRemembered: false } });
    expect('detail' in answer.body).toBe(detail !== undefined);
    const isInvalid = status === 'invalid';
    expect(await shownKey(services, keyId)).toMatchObject({
      status: isInvalid ? 'invalid' : 'active',
      statusReason: isInvalid ? 'provider' : null,
      validation: { ...said, checkedAt: answer.body.checkedAt },
    });
  });

  const error = (code: string | null, message: string, more = {}) => ({
    error: { message, type: 'invalid_request_error', param: null, code, ...more },
  });
  const words = 'Your key sk-words-of-the-provider is bad at internal-host-7';
  test.each<[string, ProviderName, Fault, string]>([
    [
      'a server that knows no error objects',
      'private-llm',
      { status: 401, body: { error: 'Unauthorized' } },
      'invalid',
    ],
    ['a server that refuses in plain text', 'private-llm', { status: 401, body: words }, 'invalid'],
    [
      '401 for the address of the caller',
      'openai',
      { status: 401, body: error(null, 'Your IP is not authorized') },
      'valid',
    ],
    [
      '401 for the address, by its code',
      'openai',
      { status: 401, body: error('ip_not_authorized', words) },
      'valid',
    ],
    [
      '401 with a code and words about scopes',
      'openai',
      { status: 401, body: error('invalid_api_key', 'Missing scopes') },
      'invalid',
    ],
    ['401 of something in between', 'openai', { status: 401, body: `<html>${words}` }, 'unknown'],
    ['403 of something in between', 'anthropic', { status: 403, body: `<html>${words}` }, 'unknown'],
    [
      'a spending limit',
      'anthropic',
      {
        status: 429,
        body: error(null, words, {
          type: 'rate_limit_error',
          details: { error_code: 'enforced_spend_limit_reached' },
        }),
      },
      'valid',
    ],
    ['another 400', 'anthropic', { status: 400, body: error(null, words) }, 'unknown'],
    ['404', 'private-llm', { status: 404, body: error(null, words) }, 'unknown'],
    ['500', 'openai', { status: 500, body: error(null, words) }, 'unknown'],
    ['overloaded', 'anthropic', { status: 529, body: error(null, words) }, 'unknown'],
    ['200 with a page', 'openai', { status: 200, body: `<html>${words}` }, 'unknown'],
    ['200 with something else', 'openai', { status: 200, body: { data: words } }, 'unknown'],
    ['200 with nothing', 'openai', { status: 200 }, 'unknown'],
    ['204', 'openai', { status: 204 }, 'unknown'],
    ['a cut connection', 'openai', { cut: 'before' }, 'unknown'],
    ['no answer', 'openai', { hang: true }, 'unknown'],
  ])('%s (%s)', async (_what, provider, fault, status) => {
    const { keyId } = await newKey(services, provider);
    services.model.fail('models', fault);
    const answer = await validate(services, keyId);
    expect(answer).toMatchObject({ status: 200, body: { keyId, status } });
    expect(answer.text).not.toMatch(/internal-host|words-of|html/);
    expect(services.harness.logLines.join('\n')).not.toMatch(/internal-host|words-of/);
  });

  test("a provider that can't be reached", async () => {
    const { keyId } = await newKey(services);
    const gone = await startFakeModel();
    await gone.close();
    await services.harness.asOwner('update keys.keys set host = $1 where key_id = $2', [
      new URL(gone.url).host,
      keyId,
    ]);
    const elsewhere = await startKeys(services.harness, addressesOf(gone));
    expect((await validate(services, keyId, elsewhere)).body).toMatchObject({ status: 'unknown' });
  });
});

describe('bounds', () => {
  test.each<[string, string, RegExp]>([
    ['garbage', 'x', /says nothing about the key/],
    ['a list of models', '{"object":"list","data":[{"id":"model"},', /^$/],
  ])(
    'only the beginning of %s without end is read, and the connection is closed',
    async (_what, start, detail) => {
      const closed = Promise.withResolvers<number>();
      const endless = await listenOnLoopback(async (_req, res) => {
        res.writeHead(200, { 'content-type': 'application/json' });
        res.write(start);
        const write = () => {
          while (!res.destroyed && res.write('"more",'.repeat(1000)));
        };
        res.on('drain', write).on('close', () => closed.resolve(res.socket?.bytesWritten ?? 0));
        write();
      });
      const elsewhere = await startKeys(services.harness, { OPENAI_BASE_URL: endless.origin });
      const keyId = await storeKey(elsewhere, services.acme);
      const { body } = await validate(services, keyId, elsewhere);
      expect(body).toMatchObject({ status: start === 'x' ? 'unknown' : 'valid' });
      expect(body.detail ?? '').toMatch(detail);
      expect(await closed.promise).toBeLessThan(20_000_000);
      await elsewhere.stop();
      await endless.close();
    },
  );

  test('a redirect is not followed: the key reaches no other host', async () => {
    const thief = await startFakeModel();
    for (const status of [301, 302, 307, 308]) {
      const { keyId } = await newKey(services);
      services.model.fail('models', { status, headers: { location: `${thief.url}/models` } });
      expect((await validate(services, keyId)).body).toMatchObject({ status: 'unknown' });
    }
    expect(thief.calls.count).toBe(0);
    await thief.close();
  });

  test.each<[ProviderName, string, Record<string, string>]>([
    ['openai', '/v1/models', { authorization: 'Bearer KEY' }],
    ['anthropic', '/v1/models', { 'x-api-key': 'KEY', 'anthropic-version': '2023-06-01' }],
    ['private-llm', '/v1/models', { authorization: 'Bearer KEY' }],
  ])('%s is asked once, as it wants to be asked', async (provider, path, headers) => {
    const { keyId, apiKey } = await newKey(services, provider);
    services.model.calls.clear();
    await validate(services, keyId);
    expect(services.model.calls.count).toBe(1);
    const { method, path: requestPath, headers: sent } = services.model.calls.last!;
    expect([method, requestPath]).toEqual(['GET', path]);
    for (const [name, value] of Object.entries(headers))
      expect(sent[name]).toBe(value.replace('KEY', apiKey));
    expect(sent[provider === 'anthropic' ? 'authorization' : 'x-api-key']).toBeUndefined();
  });

  test.each([
    ['was stored for another address', "host = 'elsewhere.invalid'", /another address/],
    ['was altered', "sealed_key = overlay(sealed_key placing 'AAAA' from 140)", /can not be opened/],
  ])('a key that %s is not sent, and its state is unknown', async (_what, change, detail) => {
    const { keyId } = await newKey(services);
    await services.harness.asOwner(`update keys.keys set ${change} where key_id = $1`, [keyId]);
    services.model.calls.clear();
    expect((await validate(services, keyId)).body).toMatchObject({
      status: 'unknown',
      detail: expect.stringMatching(detail),
    });
    expect(services.model.calls.count).toBe(0);
  });

  test('many simultaneous requests share one call, whose answer is reused for 5 s on every instance', async () => {
    const { harness, model } = services;
    const { keyId, apiKey } = await newKey(services);
    const second = await startKeys(harness, addressesOf(model));
    model.setKey(apiKey, 'good');
    model.delay('models', 100);
    model.calls.clear();
    const answers = await Promise.all(Array.from({ length: 20 }, () => validate(services, keyId)));
    // Callers that came during the check, and right after it, get the same answer.
    const verdicts = answers.map(({ body: { isRemembered: _, ...verdict } }) => JSON.stringify(verdict));
    expect(new Set(verdicts).size).toBe(1);
    model.setKey(apiKey, 'bad');
    for (const service of [services.keys, second]) {
      const { body } = await validate(services, keyId, service);
      expect(body).toEqual({ ...answers[0]!.body, isRemembered: true });
    }
    expect(model.calls.count).toBe(1);
    await forgetLastValidation(services);
    expect((await validate(services, keyId)).body).toMatchObject({ status: 'invalid', isRemembered: false });
  });

  test('the key of another tenant is 404, and its provider is not asked', async () => {
    const { keys, other, model } = services;
    const foreign = await storeKey(keys, other);
    model.calls.clear();
    for (const keyId of [foreign, 'nothing'])
      expect(await validate(services, keyId)).toMatchObject({
        status: 404,
        body: { error: 'key not found' },
      });
    expect(model.calls.count).toBe(0);
  });

  test('a key that is deleted meanwhile stays deleted', async () => {
    const { keys, acme, model } = services;
    const { keyId } = await newKey(services);
    const goOn = model.hold('models');
    const call = model.calls.waitForNext();
    const validating = validate(services, keyId);
    await call;
    await keys.call('DELETE', `/api/keys/${acme.tenantId}/${keyId}`, { as: acme.admin });
    goOn();
    expect((await validating).status).toBe(404);
    expect(await shownKey(services, keyId)).toBeUndefined();
  });
});

describe('the consequences', () => {
  const eventsOf = async (keyId: string) =>
    (
      await services.harness.asOwner<{ data: string }>(
        'select data from keys.outbox where subject like $1 order by id',
        [`%.event.${keyInvalidated.name}.%`],
      )
    )
      .map(({ data }) => keyInvalidated.schema.parse(JSON.parse(data)))
      .filter((event) => event.keyId === keyId);

  const resolved = async () => {
    const { keys, acme } = services;
    const { body } = await keys.call('GET', `/api/keys/${acme.tenantId}/resolve/openai`, { as: acme.admin });
    return body as { keyId: string | null; considered: { keyId: string; reason: string }[] };
  };

  test('a refused key is no longer chosen and announced once; when the provider accepts it again, it is used again', async () => {
    const { keyId, apiKey } = await newKey(services);
    services.model.setKey(apiKey, 'bad');
    for (let times = 0; times < 2; times += 1) {
      await validate(services, keyId);
      await forgetLastValidation(services);
    }
    const { considered, keyId: chosen } = await resolved();
    expect(chosen).not.toBe(keyId);
    expect(considered).toContainEqual({ keyId, reason: 'is marked invalid: the provider refused it' });
    expect(await eventsOf(keyId)).toMatchObject([
      {
        tenantId: services.acme.tenantId,
        provider: 'openai',
        scopeType: 'tenant',
        scopeId: null,
        reason: 'provider',
      },
    ]);
    services.model.setKey(apiKey, 'good');
    await validate(services, keyId);
    expect(await shownKey(services, keyId)).toMatchObject({
      status: 'active',
      statusReason: null,
      invalidatedAt: null,
    });
    expect((await resolved()).keyId).toBe(keyId);
  });

  test.each(['before', 'after'])(
    "a person's invalidation %s the provider's refusal is undone by no validation",
    async (when) => {
      const { keys, acme, model } = services;
      const { keyId, apiKey } = await newKey(services);
      const invalidate = () =>
        keys.call('PUT', `/api/keys/${acme.tenantId}/${keyId}/invalidate`, { as: acme.admin });
      if (when === 'before') await invalidate();
      model.setKey(apiKey, 'bad');
      await validate(services, keyId);
      if (when === 'after') await invalidate();
      await forgetLastValidation(services);
      model.setKey(apiKey, 'good');
      expect((await validate(services, keyId)).body).toMatchObject({ status: 'valid' });
      expect(await shownKey(services, keyId)).toMatchObject({
        status: 'invalid',
        statusReason: 'person',
        validation: { status: 'valid' },
      });
      expect(await eventsOf(keyId)).toMatchObject([{ reason: when === 'before' ? 'person' : 'provider' }]);
    },
  );

  test('an answer that proves nothing about the key marks nothing: it is used as before', async () => {
    const { keyId } = await newKey(services);
    services.model.fail('models', { status: 503 });
    expect((await validate(services, keyId)).body.status).toBe('unknown');
    expect((await resolved()).keyId).toBe(keyId);
    expect(await eventsOf(keyId)).toEqual([]);
  });
});
