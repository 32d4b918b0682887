import { createHmac, randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { startInstallation } from '../installation/installation.ts';
import { rssMib } from '../measure/processes.ts';
import { Series } from '../measure/series.ts';
import type { Part } from '../part.ts';
import { figure, spread, type Table } from '../report/table.ts';

const deliveries = 20;
const megabyte = 1024 * 1024;
const maxFileBytes = 25 * megabyte;
const lookEveryMs = 100;
const boundary = 'bench-boundary';

/** The posted emails and their allowed statuses. A server at capacity asks the mailer to retry. */
const kinds = {
  'one file of 250 MB': { files: [250 * megabyte], isSignatureFirst: true, isForged: false, statuses: [413] },
  '10 files of 25 MB, forged': {
    files: Array(10).fill(maxFileBytes),
    isSignatureFirst: true,
    isForged: true,
    statuses: [406],
  },
  '10 files of 25 MB, forged, signature last': {
    files: Array(10).fill(maxFileBytes),
    isSignatureFirst: false,
    isForged: true,
    // The whole request has to arrive before the response. Senders that are slow or too many are asked to retry.
    statuses: [406, 503, 504],
  },
} as const satisfies Record<string, Posted & { statuses: number[] }>;

interface Posted {
  files: number[];
  isSignatureFirst: boolean;
  isForged: boolean;
}

/** Measures memory while twenty emails of 250 MB are rejected at the same time, through the gateway (W-09). */
export const mail: Part = async (bench) => {
  const installation = await startInstallation({ dataDir: bench.dir, cleanup: bench.cleanup });
  const mailbox = await connectMailbox(installation.gatewayUrl);
  const { gateway = 0, webhooks = 0 } = installation.pids;
  const series = new Series();
  const unexpected: string[] = [];
  const atRest = { gateway: rssMib(gateway), webhooks: rssMib(webhooks) };
  // One kind at a time, so that the cleanup of one doesn't count for the next.
  for (const [name, posted] of Object.entries(kinds))
    for (let round = 1; round <= bench.rounds; round += 1) {
      bench.say(`round ${round}/${bench.rounds}: ${name}`);
      const begin = performance.now();
      const most = { gateway: 0, webhooks: 0 };
      const look = setInterval(() => {
        most.gateway = Math.max(most.gateway, rssMib(gateway));
        most.webhooks = Math.max(most.webhooks, rssMib(webhooks));
      }, lookEveryMs);
      const statuses = await postAll(installation.gatewayPort, mailbox, posted);
      clearInterval(look);
      const seconds = (performance.now() - begin) / 1000;
      series.add(name, { gatewayMib: most.gateway, webhooksMib: most.webhooks, seconds });
      unexpected.push(
        ...statuses
          .filter((status) => !isExpected(posted.statuses, status))
          .map((status) => `${name}: ${status}`),
      );
    }
  return { tables: [table(series, atRest)], checks: [checkOf(unexpected)], rounds: series };
};

const isExpected = (statuses: readonly number[], status: number): boolean => statuses.includes(status);

const checkOf = (unexpected: readonly string[]) => ({
  what: 'every mail was refused with the right status',
  isRight: unexpected.length === 0,
  detail: [...new Set(unexpected)].join(', '),
});

function table(series: Series, atRest: { gateway: number; webhooks: number }): Table {
  const row = (name: string) => [
    name,
    spread(series.of(name, 'webhooksMib')),
    spread(series.of(name, 'gatewayMib')),
    spread(series.of(name, 'seconds')),
  ];
  return {
    title: `Mail: ${deliveries} of 250 MB at once, all refused`,
    head: ['what is posted', 'webhooks, most RSS MiB', 'gateway, most RSS MiB', 'seconds'],
    rows: Object.keys(kinds).map(row),
    notes: [`At rest: webhooks ${figure(atRest.webhooks)} MiB, gateway ${figure(atRest.gateway)} MiB.`],
  };
}

type Target = Awaited<ReturnType<typeof connectMailbox>>;

const postAll = (port: number, target: Target, posted: Posted): Promise<number[]> =>
  Promise.all(Array.from({ length: deliveries }, () => post(port, target, posted)));

/** Returns the status, or 0 if the connection ended without one. */
function post(port: number, target: Target, posted: Posted): Promise<number> {
  return new Promise((resolve) => {
    const req = request({
      port,
      host: '127.0.0.1',
      method: 'POST',
      path: `/webhooks/email/${target.botId}`,
      headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    });
    req.once('response', (res) => {
      res.resume();
      // A rejected request need not be sent completely.
      res.once('end', () => req.destroy());
      resolve(res.statusCode ?? 0);
    });
    req.once('error', () => resolve(0));
    const body = Readable.from(bodyOf(target, posted));
    body.pipe(req);
    req.once('close', () => body.destroy());
  });
}

const block = Buffer.alloc(256 * 1024, 'x');

function* bodyOf({ address, key }: Target, { files, isSignatureFirst, isForged }: Posted): Generator<Buffer> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const token = randomUUID();
  const signature = createHmac('sha256', isForged ? 'forged' : key)
    .update(timestamp + token)
    .digest('hex');
  const fields = { recipient: address, from: 'anna@example.com', timestamp, token, signature };
  const written = Object.entries(fields).map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  if (isSignatureFirst) yield Buffer.from(written.join(''));
  for (const [index, bytes] of files.entries()) {
    const head = `Content-Disposition: form-data; name="attachment-${index + 1}"; filename="a.bin"`;
    yield Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`);
    for (let left = bytes; left > 0; left -= block.length) yield block.subarray(0, left);
    yield Buffer.from('\r\n');
  }
  if (!isSignatureFirst) yield Buffer.from(written.join(''));
  yield Buffer.from(`--${boundary}--\r\n`);
}

/** Creates a tenant with a bot whose mailbox receives signed emails. */
async function connectMailbox(gatewayUrl: string): Promise<{ botId: string; address: string; key: string }> {
  const call = async (path: string, body: unknown): Promise<Record<string, string>> => {
    const answer = await fetch(`${gatewayUrl}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`POST ${path} returned ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Record<string, string>;
  };
  const { tenantId } = await call('/api/bots/tenants', { name: 'Mail' });
  const { botId = '' } = await call(`/api/bots/${tenantId}/bots`, { name: 'Mail' });
  const [address, key] = ['support@bots.bench.example', 'bench-signing-key'];
  await call(`/api/bots/${tenantId}/${botId}/integrations`, {
    integrationType: 'email',
    credentials: { address },
    settings: { email: { webhookSigningKey: key } },
  });
  return { botId, address, key };
}
