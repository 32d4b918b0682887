import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readlink, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { tenantDeleted } from '@botyard/contracts/events/tenancy';
import { messageReceived } from '@botyard/contracts/events/webhooks';
import { identityHeader } from '@botyard/shared/auth/identity';
import { createNatsObjects } from '@botyard/shared/files/objects/nats-objects';
import { eventually } from '@botyard/testing/eventually';
import type { TestService } from '@botyard/testing/service-harness';
import { anonymous } from '@botyard/testing/test-call';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { makePdf, pageOf } from '../../../../../agents/test/knowledge/domain/pdf.ts';
import {
  encode,
  mailsOf,
  newMail,
  postForm,
  postMail,
  saveMailbox,
  type TestMailbox,
  triple,
} from '../../../mailboxes.ts';
import {
  closeWebhooksServices,
  eventsOf,
  openWebhooksServices,
  publishedAll,
  startWebhooks,
  type WebhooksServices,
} from '../../../webhooks-services.ts';

const megabyte = 1024 * 1024;
let services: WebhooksServices;
let webhooks: TestService;
let mailbox: TestMailbox;
let spoolDir: string;

beforeAll(async () => {
  services = await openWebhooksServices();
  spoolDir = await mkdtemp(join(tmpdir(), 'botyard-spool-'));
  webhooks = await startWebhooks(services, { MAIL_SPOOL_DIR: spoolDir, OBJECT_STORE_MAX_MEGABYTES: '256' });
});
afterAll(async () => {
  await closeWebhooksServices(services);
  await rm(spoolDir, { recursive: true, force: true });
});
afterEach(() => eventually('nothing is left on the disk', async () => (await leftOnDisk()) === 0));

/** Files with a name, and those that are open without one. */
async function leftOnDisk(): Promise<number> {
  const entries = await readdir(spoolDir, { recursive: true, withFileTypes: true });
  const named = entries.filter((entry) => entry.isFile());
  const descriptors = await readdir('/proc/self/fd');
  const links = await Promise.all(
    descriptors.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')),
  );
  return named.length + links.filter((link) => link.startsWith(spoolDir)).length;
}

const objects = async () =>
  createNatsObjects(await services.harness.busAs('webhooks'), { maxBytes: 256 * megabyte });
const rowsOf = ({ tenantId }: Pick<TestMailbox, 'tenantId'>) =>
  services.harness.asOwner<Record<string, unknown> & { object_key: string }>(
    'select * from webhooks.mail_attachments where tenant_id = $1 order by attachment_id',
    [tenantId],
  );
const text = (name: string, content: string) => ({ name, type: 'image/png', bytes: Buffer.from(content) });

describe('files of a mail', () => {
  test('are stored unchanged, by tenant, with the type of their bytes; readable ones are offered', async () => {
    mailbox = await saveMailbox(services);
    const picture = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGD4DwABBAEAX+XDSwAAAABJRU5ErkJggg==',
      'base64',
    );
    const files = [
      text('../../etc/terms\u202E.txt', 'Kettles are returned within 30 days.'),
      { name: 'terms.exe', type: 'text/plain', bytes: makePdf([pageOf('Shipping is free')]) },
      { name: 'logo.html', type: 'text/html', bytes: picture },
      { name: 'big.bin', bytes: randomBytes(3 * megabyte) },
    ];
    const fields = { 'content-id-map': JSON.stringify({ '<logo>': 'attachment-3' }) };
    expect((await postMail(webhooks, mailbox, newMail(mailbox, { fields }), { files })).status).toBe(200);
    const rows = await rowsOf(mailbox);
    expect(rows.map(({ name, media_type: type, remove_at: at }) => [name, type, at])).toEqual([
      ['terms.txt', 'text/plain', null],
      ['terms.exe', 'application/pdf', null],
      ['logo.html', 'image/png', null],
      ['big.bin', 'application/octet-stream', null],
    ]);
    const store = await objects();
    for (const [index, { object_key: key, sha256, size_bytes: size }] of rows.entries()) {
      expect(key.startsWith(`${mailbox.tenantId}/`)).toBe(true);
      const bytes = await buffer((await store.get(key))!);
      expect(bytes.equals(files[index]!.bytes)).toBe(true);
      expect([sha256, size]).toEqual([createHash('sha256').update(bytes).digest('hex'), bytes.length]);
    }
    const message = await eventually('its documents are read', async () => {
      const events = await eventsOf(services.harness, messageReceived);
      return events.find(({ botId }) => botId === mailbox.botId);
    });
    expect(message.mail!.documents).toEqual([
      {
        name: 'terms.txt',
        mediaType: 'text/plain',
        sizeBytes: 36,
        text: 'Kettles are returned within 30 days.',
      },
      expect.objectContaining({
        name: 'terms.exe',
        mediaType: 'application/pdf',
        sizeBytes: files[1]!.bytes.length,
      }),
      { name: 'big.bin', mediaType: 'application/octet-stream', sizeBytes: 3 * megabyte },
    ]);
  });

  test('are cut if they have more text than an event holds', async () => {
    const own = await saveMailbox(services);
    const files = Array.from({ length: 10 }, (_, index) =>
      text(`${index}.txt`, '日本語\u0001 '.repeat(20_000)),
    );
    const mail = newMail(own, { text: '日'.repeat(100_000) });
    expect((await postMail(webhooks, own, mail, { files })).status).toBe(200);
    await publishedAll(services);
    const [message] = (await eventsOf(services.harness, messageReceived)).filter(
      ({ botId }) => botId === own.botId,
    );
    expect(Buffer.byteLength(JSON.stringify(message))).toBeLessThan(700_000);
    expect(message!.mail!.documents.filter(({ text: read }) => read).length).toBeGreaterThan(1);
  });

  test('are not stored if it is a duplicate, or must not be answered', async () => {
    const own = await saveMailbox(services);
    const mail = newMail(own);
    const files = [text('a.txt', 'a')];
    for (let time = 0; time < 2; time += 1) await postMail(webhooks, own, mail, { files });
    await postMail(webhooks, own, newMail(own, { headers: [['Auto-Submitted', 'auto-replied']] }), { files });
    expect(await rowsOf(own)).toHaveLength(1);
  });

  test('are removed with their tenant, without a trace', async () => {
    const own = await saveMailbox(services);
    await postMail(webhooks, own, newMail(own), { files: [text('a.txt', 'a'), text('b.txt', 'b')] });
    const rows = await rowsOf(own);
    expect(rows).toHaveLength(2);
    await services.harness.publish(tenantDeleted, { tenantId: own.tenantId });
    await eventually('the files are removed', async () => (await rowsOf(own)).length === 0);
    const store = await objects();
    for (const { object_key: key } of rows) expect(await store.get(key)).toBeNull();
    const { manager } = (await services.harness.busAs('webhooks')).live();
    const stream = `OBJ_${services.harness.namespace}_objects`;
    const { state } = await manager.streams.info(stream, { subjects_filter: '>' });
    const about = Object.keys(state.subjects ?? {}).map((subject) =>
      Buffer.from(subject.split('.').at(-1)!, 'base64url').toString(),
    );
    expect(about.filter((key) => key.startsWith(own.tenantId))).toEqual([]);
  });
});

describe('W-09: refused, and nothing of it is left:', () => {
  const refusedAs = async (status: number, answer: Promise<{ status: number }>) => {
    expect((await answer).status).toBe(status);
    expect(await mailsOf(services, mailbox)).toEqual([]);
    expect(await rowsOf(mailbox)).toEqual([]);
  };
  const signed = () => ({ ...newMail(mailbox), ...triple({ key: mailbox.key! }) });
  beforeAll(async () => {
    mailbox = await saveMailbox(services);
  });

  test('a file of 25 MB and a byte; one of 25 MB is accepted', async () => {
    const bytes = Buffer.alloc(25 * megabyte + 1);
    await refusedAs(413, postForm(webhooks, mailbox.botId, signed(), [{ name: 'a', bytes }]));
    const other = await saveMailbox(services);
    const files = [{ name: 'a', bytes: bytes.subarray(1) }];
    expect((await postMail(webhooks, other, newMail(other), { files })).status).toBe(200);
  });

  test('11 files, 1,100 fields, a field of 9 MB, 20 fields of 1 MB', async () => {
    const files = Array.from({ length: 11 }, () => text('a', 'a'));
    await refusedAs(413, postForm(webhooks, mailbox.botId, signed(), files));
    const many = Object.fromEntries(Array.from({ length: 1100 }, (_, index) => [`X-${index}`, 'x']));
    await refusedAs(413, postForm(webhooks, mailbox.botId, { ...signed(), ...many }, [text('a', 'a')]));
    await refusedAs(413, postForm(webhooks, mailbox.botId, { ...signed(), ...many }));
    const large = { 'body-html': 'x'.repeat(9 * megabyte) };
    await refusedAs(413, postForm(webhooks, mailbox.botId, { ...signed(), ...large }, [text('a', 'a')]));
    await refusedAs(413, postForm(webhooks, mailbox.botId, { ...signed(), ...large }));
    const sum = { 'body-html': Array.from({ length: 20 }, () => 'x'.repeat(megabyte)) };
    await refusedAs(413, postForm(webhooks, mailbox.botId, { ...signed(), ...sum }, [text('a', 'a')]));
  });

  test('a bad signature, before a byte of a file is read; and files that precede the signature', async () => {
    const file = { name: 'a', bytes: Buffer.alloc(20 * megabyte) };
    const forged = { ...newMail(mailbox), ...triple({ key: 'forged' }) };
    await refusedAs(406, postForm(webhooks, mailbox.botId, forged, [file]));
    await refusedAs(406, postForm(webhooks, null, forged, [file]));
    const { rawBody, headers } = await encode({}, [file]);
    const first = Buffer.from(rawBody);
    const boundary = headers['content-type']!.split('boundary=')[1]!;
    const after = Object.entries(forged).map(
      ([name, value]) =>
        `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    );
    const body = Buffer.concat([
      first.subarray(0, first.length - boundary.length - 6),
      Buffer.from(`${after.join('')}--${boundary}--\r\n`),
    ]);
    await refusedAs(
      406,
      webhooks.call('POST', `/webhooks/email/${mailbox.botId}`, {
        as: anonymous,
        rawBody: new Uint8Array(body),
        headers,
      }),
    );
  });

  test('a form that ends in the middle of a file', async () => {
    const { rawBody, headers } = await encode(signed(), [text('a', 'cut off here')]);
    for (const left of [rawBody.subarray(0, -60), rawBody.subarray(0, -70)])
      await refusedAs(
        406,
        webhooks.call('POST', `/webhooks/email/${mailbox.botId}`, { as: anonymous, rawBody: left, headers }),
      );
  });

  const nested = () => {
    let body = 'x';
    for (let depth = 0; depth < 2000; depth += 1)
      body = `--b${depth}\r\nContent-Type: multipart/mixed; boundary=b${depth - 1}\r\n\r\n${body}\r\n--b${depth}--`;
    return body.padEnd(24 * megabyte, '\r\n--b1\r\n\r\n');
  };
  test('nothing: 24 MB of nested parts in a file are bytes as any', async () => {
    const other = await saveMailbox(services);
    const files = [{ name: 'nested.eml', bytes: Buffer.from(nested()) }];
    expect((await postMail(webhooks, other, newMail(other), { files })).status).toBe(200);
  });

  const multipart = 'multipart/form-data; boundary=x';
  const part = (name: string) => `--x\r\nContent-Disposition: form-data; name="${name}"`;
  test.each([
    ['a body that ends in the middle of a file', multipart, `${part('a')}; filename="a"\r\n\r\nabc`, 406],
    ['one without any end', multipart, part('a'), 406],
    ['one without a boundary', 'multipart/form-data', 'abc', 406],
    ['another boundary than it says', multipart, '--y\r\n\r\n--y--', 406],
    ['nothing', multipart, '', 406],
    ['JSON', 'application/json', '{}', 406],
    ['no form at all', 'text/plain', 'a=b', 406],
    ['a character set that nobody knows', 'application/x-www-form-urlencoded; charset=x', 'a=b', 406],
    ['a field of 50 levels', multipart, `${part(`a${'[a]'.repeat(50)}`)}\r\n\r\nx\r\n--x--`, 406],
    [
      'fields that name what they must not',
      multipart,
      `${part('__proto__[polluted]')}\r\n\r\nx\r\n--x--`,
      406,
    ],
    [
      'a part with 10,000 headers',
      multipart,
      `${part('a')}\r\n${'X: y\r\n'.repeat(10_000)}\r\nx\r\n--x--`,
      406,
    ],
    ['24 MB of parts that are none', multipart, nested(), 413],
  ])('%s', async (_what, type, body, status) => {
    const headers = { 'content-type': type };
    const rawBody = new Uint8Array(Buffer.from(body));
    await refusedAs(
      status,
      webhooks.call('POST', `/webhooks/email/${mailbox.botId}`, { as: anonymous, rawBody, headers }),
    );
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test('a delivery whose sender goes away in the middle of a file', async () => {
    const { hostname, port } = new URL(webhooks.url);
    const identity = await webhooks.identityOf(anonymous);
    const socket = connect(Number(port), hostname);
    const head = [
      `POST /webhooks/email/${mailbox.botId} HTTP/1.1`,
      'Host: x',
      `${identityHeader}: ${identity}`,
      `Content-Type: ${multipart}`,
      'Content-Length: 20000000',
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n${part('a')}; filename="a"\r\n\r\n${'x'.repeat(megabyte)}`);
    await eventually('the file is open', async () => (await leftOnDisk()) === 1);
    socket.destroy();
    await eventually('the file is gone', async () => (await leftOnDisk()) === 0);
    await refusedAs(406, postForm(webhooks, mailbox.botId, newMail(mailbox)));
  });
});
