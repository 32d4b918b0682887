import { randomUUID } from 'node:crypto';
import { integrationDeleted } from '@botyard/contracts/events/tenancy';
import type { TestService } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  mailsOf,
  newMail,
  newToken,
  postForm,
  postMail,
  saveMailbox,
  type TestMailbox,
  triple,
} from '../../../mailboxes.ts';
import {
  closeWebhooksServices,
  openWebhooksServices,
  startWebhooks,
  type WebhooksServices,
} from '../../../webhooks-services.ts';

let services: WebhooksServices;
let webhooks: TestService;
let mailbox: TestMailbox;
const bypassed = 'email.webhook.signature.BYPASSED';
const now = () => Math.floor(Date.now() / 1000);

beforeAll(async () => {
  services = await openWebhooksServices();
  webhooks = await startWebhooks(services, { OBJECT_STORE_MAX_MEGABYTES: '64' });
  mailbox = await saveMailbox(services);
});
afterAll(() => closeWebhooksServices(services));

const post = (fields: Record<string, string | string[]>, to = mailbox) =>
  postForm(webhooks, to.botId, { ...newMail(to), ...fields });

describe('W-05: the triple of a mailbox with a key', () => {
  const key = () => mailbox.key!;

  test.each([
    ['of now', () => triple({ key: key() }), 200],
    [
      '8 hours old, as the last repetition may be',
      () => triple({ key: key(), atSeconds: now() - 8 * 3600 + 20 }),
      200,
    ],
    ['older', () => triple({ key: key(), atSeconds: now() - 8 * 3600 - 20 }), 406],
    ['5 minutes ahead, as a clock may be', () => triple({ key: key(), atSeconds: now() + 280 }), 200],
    ['further ahead', () => triple({ key: key(), atSeconds: now() + 330 }), 406],
    ['by another key', () => triple({ key: 'another' }), 406],
    ['by an empty key', () => triple({ key: '' }), 406],
    ['of another token', () => ({ ...triple({ key: key() }), token: newToken() }), 406],
    ['of another time', () => ({ ...triple({ key: key() }), timestamp: String(now() - 5) }), 406],
    ['without a token', () => triple({ key: key(), token: '' }), 406],
    ['with a token that is moved into the time', () => movedIntoTime(), 406],
    ['that is missing', () => ({}), 406],
    ['cut', () => cut(triple({ key: key() })), 406],
    ['that is no hex', () => ({ ...triple({ key: key() }), signature: 'z'.repeat(64) }), 406],
    ['that is enormous', () => ({ ...triple({ key: key() }), signature: 'a'.repeat(100_000) }), 406],
    ['in capital letters', () => capital(triple({ key: key() })), 200],
    ['by the account above, whose key it is', () => above(), 200],
    [
      'by the subaccount, with another above',
      () => ({ ...triple({ key: key() }), 'parent-signature': 'ab'.repeat(32) }),
      200,
    ],
    ['posted twice', () => twice(), 406],
  ] as [string, () => Record<string, string | string[]>, number][])(
    '%s',
    async (_what, signature, status) => {
      expect((await post(signature())).status).toBe(status);
    },
  );

  function movedIntoTime() {
    const { timestamp, token, signature } = triple({ key: key(), token: `7${newToken()}` });
    return { timestamp: `${timestamp}7`, token: token.slice(1), signature };
  }
  const cut = (whole: ReturnType<typeof triple>) => ({ ...whole, signature: whole.signature.slice(0, 62) });
  const capital = (whole: ReturnType<typeof triple>) => ({
    ...whole,
    signature: whole.signature.toUpperCase(),
  });
  const above = () => {
    const whole = triple({ key: key() });
    return { ...whole, signature: 'ab'.repeat(32), 'parent-signature': whole.signature };
  };
  const twice = () => {
    const whole = triple({ key: key() });
    return { ...whole, signature: [whole.signature, whole.signature] };
  };

  test('is accepted once: the same mail is a duplicate, another one a replay', async () => {
    const own = await saveMailbox(services);
    const mail = newMail(own);
    const signature = triple({ key: own.key! });
    expect((await postMail(webhooks, own, mail, { signature })).status).toBe(200);
    expect((await postMail(webhooks, own, mail, { signature })).status).toBe(200);
    expect((await postMail(webhooks, own, { ...mail, 'body-plain': 'forged' }, { signature })).status).toBe(
      406,
    );
    expect((await postMail(webhooks, own, newMail(own), { signature })).status).toBe(406);
    expect(await mailsOf(services, own)).toHaveLength(1);
  });

  test('is good for no other mail to another bot of the tenant with the same key', async () => {
    const own = await saveMailbox(services);
    const sibling = await saveMailbox(services, { tenantId: own.tenantId, key: own.key });
    const signature = triple({ key: own.key! });
    expect((await postMail(webhooks, own, newMail(own), { signature })).status).toBe(200);
    expect((await postMail(webhooks, sibling, newMail(sibling), { signature })).status).toBe(406);
    expect(await mailsOf(services, sibling)).toHaveLength(0);
  });

  test('one of 20 simultaneous deliveries of a mail is accepted', async () => {
    const own = await saveMailbox(services);
    const mail = newMail(own);
    const signature = triple({ key: own.key! });
    const same = Array.from({ length: 10 }, () => postMail(webhooks, own, mail, { signature }));
    const fresh = Array.from({ length: 10 }, () => postMail(webhooks, own, mail));
    const statuses = (await Promise.all([...same, ...fresh])).map(({ status }) => status);
    // A request that waits too long for the first one is asked to retry.
    expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
    expect(await mailsOf(services, own)).toHaveLength(1);
    const numbered = await services.harness.asOwner<{ last_seq: string }>(
      'select last_seq from webhooks.conversations where tenant_id = $1',
      [own.tenantId],
    );
    expect(numbered).toEqual([{ last_seq: '1' }]);
  });

  test('the same Message-Id with a new signature is 200 and accepted once', async () => {
    const own = await saveMailbox(services);
    const mail = newMail(own);
    for (let time = 0; time < 3; time += 1) expect((await postMail(webhooks, own, mail)).status).toBe(200);
    expect(await mailsOf(services, own)).toHaveLength(1);
  });

  test('a refusal reveals nothing of the bot, and leaves nothing', async () => {
    const own = await saveMailbox(services);
    const refused = await postMail(webhooks, own, newMail(own), { signature: {} });
    const unknown = await postForm(webhooks, randomUUID(), newMail(own));
    expect([refused.status, unknown.status]).toEqual([406, 406]);
    expect(refused.text).not.toContain(own.tenantId);
    expect(await mailsOf(services, own)).toEqual([]);
    expect(services.harness.logLines.join()).not.toContain(own.key);
  });
});

test('W-03: without a key mail is accepted, and that is written down at SECURITY severity, once for each delivery', async () => {
  const open = await saveMailbox(services, { key: undefined });
  const before = services.harness.logLines.filter((line) => line.includes(bypassed)).length;
  expect((await postMail(webhooks, open, newMail(open))).status).toBe(200);
  const lines = services.harness.logLines.filter((line) => line.includes(bypassed)).slice(before);
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({
      severity: 'SECURITY',
      level: 'error',
      msg: bypassed,
      event: bypassed,
      botId: open.botId,
    }),
  ]);
  expect(await mailsOf(services, open)).toHaveLength(1);
});

describe('there is no recipient', () => {
  test.each(['no-uuid', '00000000-0000-4000-8000-000000000000'])('at %s: 406', async (botId) => {
    expect((await postForm(webhooks, botId, newMail(mailbox))).status).toBe(406);
  });

  test('at a mailbox that is switched off or deleted: 406', async () => {
    const off = await saveMailbox(services, { isEnabled: false });
    expect((await postMail(webhooks, off, newMail(off))).status).toBe(406);
    const gone = await saveMailbox(services);
    expect((await postMail(webhooks, gone, newMail(gone))).status).toBe(200);
    const { tenantId, integrationId, botId } = gone;
    await services.harness.publish(integrationDeleted, { tenantId, integrationId, botId, revision: 2 });
    await services.harness.settled('webhooks', 'tenancy');
    expect((await postMail(webhooks, gone, newMail(gone))).status).toBe(406);
  });
});

describe('W-06: mail to the address for all', () => {
  const everybody = async () => {
    const [left, right, open] = await Promise.all([
      saveMailbox(services),
      saveMailbox(services),
      saveMailbox(services, { key: undefined }),
    ]);
    const counts = async () =>
      Promise.all([left, right, open].map(async (one) => (await mailsOf(services, one)).length));
    return { left, right, open, counts };
  };
  const postToAll = (
    fields: Record<string, string | string[]>,
    by: TestMailbox | undefined,
    recipient: string,
  ) => postForm(webhooks, null, { ...fields, ...(by ? triple({ key: by.key! }) : {}), recipient });

  test('is delivered to the recipient of the envelope, with or without a plus, in any case of letters', async () => {
    const { left, counts } = await everybody();
    const plus = left.address.replace('@', '+a1b2c3@').toUpperCase();
    expect((await postToAll(newMail(left), left, left.address)).status).toBe(200);
    expect((await postToAll(newMail(left), left, plus)).status).toBe(200);
    expect(await counts()).toEqual([2, 0, 0]);
  });

  test.each([
    ['is refused when the recipient is another than whose key signed', 'right', 406],
    ['goes to the recipient of the envelope whose key signed, whomever its headers name', 'left', 200],
  ] as const)('%s', async (_what, recipient, status) => {
    const { left, right, counts } = await everybody();
    const to = { left, right }[recipient];
    const mail = newMail(left, { headers: [['To', right.address]] });
    expect((await postToAll(mail, left, to.address)).status).toBe(status);
    expect(await counts()).toEqual(status === 200 ? [1, 0, 0] : [0, 0, 0]);
  });

  test('with a bad signature is never delivered to an unsigned bot among its recipients', async () => {
    const { left, open, counts } = await everybody();
    const mail = newMail(left, { headers: [['Cc', open.address]] });
    expect((await postToAll(mail, undefined, `${open.address}, ${left.address}`)).status).toBe(406);
    expect((await postToAll(mail, undefined, left.address)).status).toBe(406);
    expect(await counts()).toEqual([0, 0, 0]);
  });

  test('with several recipients is delivered to the one whose key verifies it', async () => {
    const { left, right, counts } = await everybody();
    expect((await postToAll(newMail(left), right, `${left.address},${right.address}`)).status).toBe(200);
    expect(await counts()).toEqual([0, 1, 0]);
  });

  test.each(['key', undefined])(
    'with key %s is delivered to the enabled one of several recipients',
    async (key) => {
      const off = await saveMailbox(services, { key, isEnabled: false });
      const on = await saveMailbox(services, { key, tenantId: off.tenantId });
      const by = key === undefined ? undefined : on;
      expect((await postToAll(newMail(on), by, `${off.address},${on.address}`)).status).toBe(200);
      expect((await postToAll(newMail(off), by, off.address)).status).toBe(406);
      expect([(await mailsOf(services, off)).length, (await mailsOf(services, on)).length]).toEqual([0, 1]);
    },
  );

  test('is assigned by its headers if the envelope has no known recipient', async () => {
    const { left, counts } = await everybody();
    const mail = newMail(left, { headers: [['To', `"${'x'.repeat(10)}" <${left.address}>`]] });
    expect((await postToAll(mail, left, 'catchall@elsewhere.example')).status).toBe(200);
    expect(await counts()).toEqual([1, 0, 0]);
    const stranger = { ...newMail(left), 'message-headers': '[]', To: 'nobody@elsewhere.example' };
    expect((await postToAll(stranger, left, 'catchall@elsewhere.example')).status).toBe(406);
  });
});
