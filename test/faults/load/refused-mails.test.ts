import { createHmac, randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rssMib } from '../../../tools/rig/processes.ts';
import { System } from '../../e2e/system.ts';
import { printFigures } from '../rig/history.ts';

const mails = process.env.BOTYARD_FAULTS === 'full' ? 20 : 4;
const megabyte = 1024 * 1024;
const maxFileBytes = 25 * megabyte;
/** A mail is never held in memory as a whole. */
const maxGrowthMib = 256;
const lookEveryMs = 100;
const boundary = 'mail-boundary';
const signingKey = 'mail-signing-key';
const mailDomain = 'bots.example';

interface Mail {
  fileBytes: number[];
  isSignatureFirst: boolean;
  isForged: boolean;
  /** A server at capacity asks the mailer to try again. */
  statuses: number[];
}

const kinds: Readonly<Record<string, Mail>> = {
  'one file of 250 MB': {
    fileBytes: [250 * megabyte],
    isSignatureFirst: true,
    isForged: false,
    statuses: [413],
  },
  '10 files of 25 MB, forged': {
    fileBytes: Array(10).fill(maxFileBytes),
    isSignatureFirst: true,
    isForged: true,
    statuses: [406],
  },
  '10 files of 25 MB, forged, signature last': {
    fileBytes: Array(10).fill(maxFileBytes),
    isSignatureFirst: false,
    isForged: true,
    // The whole request has to arrive before the answer. Senders that are slow or too many are asked to try again.
    statuses: [406, 503, 504],
  },
};

let system: System;
let mailbox: { botId: string; address: string };
beforeAll(async () => {
  system = await System.start({
    NODE_ENV: 'development',
    AUTH_DEV_MODE: 'true',
    MAILER_DOMAIN: mailDomain,
  });
  await system.healthy();
  const { tenantId } = await system.api('POST', '/api/bots/tenants', { body: { name: 'Mail' } });
  const { botId } = await system.api<{ botId: string }>('POST', `/api/bots/${tenantId}/bots`, {
    body: { name: 'Mail' },
  });
  const address = `support@${mailDomain}`;
  await system.api('POST', `/api/bots/${tenantId}/${botId}/integrations`, {
    body: {
      integrationType: 'email',
      credentials: { address },
      settings: { email: { webhookSigningKey: signingKey } },
    },
  });
  mailbox = { botId, address };
});
afterAll(async () => {
  await system?.stop();
});

test.each(Object.entries(kinds))(
  `P18: ${mails} emails at once, each %s: all are refused, and memory is bounded`,
  async (name, mail) => {
    const { gateway = 0, webhooks = 0 } = await system.pids();
    const memoryMib = () => [gateway, webhooks].map(rssMib);
    const before = memoryMib();
    const growthMib = [0, 0];
    const look = setInterval(() => {
      for (const [index, mib] of memoryMib().entries())
        growthMib[index] = Math.max(growthMib[index]!, Math.round(mib - before[index]!));
    }, lookEveryMs);
    const statuses = await Promise.all(Array.from({ length: mails }, () => post(mail)));
    clearInterval(look);
    printFigures('P18', {
      mails: `${mails}, ${name}`,
      'memory MiB': `gateway +${growthMib[0]} webhooks +${growthMib[1]}`,
    });
    expect(statuses.filter((status) => !mail.statuses.includes(status))).toEqual([]);
    expect(Math.max(...growthMib)).toBeLessThan(maxGrowthMib);
  },
);

/** Returns the status, or 0 if the connection ended without one. */
function post(mail: Mail): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const req = request(`${system.gatewayUrl}/webhooks/email/${mailbox.botId}`, {
    method: 'POST',
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  });
  req.once('response', (res) => {
    res.resume();
    // A refused request need not be sent completely.
    res.once('end', () => req.destroy());
    resolve(res.statusCode ?? 0);
  });
  req.once('error', () => resolve(0));
  const body = Readable.from(bodyOf(mail));
  body.pipe(req);
  req.once('close', () => body.destroy());
  return promise;
}

const block = Buffer.alloc(256 * 1024, 'x');

function* bodyOf({ fileBytes, isSignatureFirst, isForged }: Mail): Generator<Buffer> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const token = randomUUID();
  const signature = createHmac('sha256', isForged ? 'forged' : signingKey)
    .update(timestamp + token)
    .digest('hex');
  const fields = { recipient: mailbox.address, from: 'anna@example.com', timestamp, token, signature };
  const written = Object.entries(fields).map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  if (isSignatureFirst) yield Buffer.from(written.join(''));
  for (const [index, bytes] of fileBytes.entries()) {
    const head = `Content-Disposition: form-data; name="attachment-${index + 1}"; filename="a.bin"`;
    yield Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`);
    for (let left = bytes; left > 0; left -= block.length) yield block.subarray(0, left);
    yield Buffer.from('\r\n');
  }
  if (!isSignatureFirst) yield Buffer.from(written.join(''));
  yield Buffer.from(`--${boundary}--\r\n`);
}
