import { randomBytes } from 'node:crypto';
import { within } from '@botyard/shared/work/within';
import { type FakeMessenger, startFakeMessenger } from '@botyard/testing/fake-messenger';
import { startFakeModel } from '@botyard/testing/fake-model';
import type { SentFile } from '@botyard/testing/messenger/media';
import type { MediaKind } from '@botyard/testing/messenger/types';
import { botToken, createBots } from '../installation/bots.ts';
import { startInstallation } from '../installation/installation.ts';
import { cpuSeconds, difference, rssMib } from '../measure/processes.ts';
import { Series } from '../measure/series.ts';
import type { Part } from '../part.ts';
import { check, spread, type Table } from '../report/table.ts';

const ofEach = 10;
const lookEveryMs = 50;
const lostAfterMs = 60_000;
const kilobyte = 1024;
const megabyte = 1024 * kilobyte;
const measured = ['webhooks', 'agents', 'postgres', 'nats'] as const;

interface Sent {
  media?: MediaKind;
  file?: SentFile;
}

const jpeg = (bytes: number): SentFile => ({
  bytes: Buffer.concat([Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex'), randomBytes(bytes)]),
});
const voice = (bytes: number): SentFile => ({
  bytes: Buffer.concat([
    Buffer.from('4f67675300020000000000000000313233340000000000000000011e01764f70757348656164', 'hex'),
    randomBytes(bytes),
  ]),
  mimeType: 'audio/ogg',
});
const text = (bytes: number): SentFile => ({
  bytes: Buffer.alloc(bytes, 'Kettles are returned within 30 days.\n'),
  name: 'terms.txt',
  mimeType: 'text/plain',
});

const kinds: Readonly<Record<string, Sent>> = {
  'no file': {},
  'text, 10 kB': { media: 'document', file: text(10 * kilobyte) },
  'text, 1 MB': { media: 'document', file: text(megabyte) },
  'picture, 300 kB': { media: 'photo', file: jpeg(300 * kilobyte) },
  'picture, 3 MB': { media: 'photo', file: jpeg(3 * megabyte) },
  'recording, 300 kB': { media: 'voice', file: voice(300 * kilobyte) },
  'video, 19 MB': { media: 'video', file: { bytes: randomBytes(19 * megabyte), mimeType: 'video/mp4' } },
};

/** Measures messages with a file, one at a time: the time until the answer, CPU and memory. */
export const media: Part = async (bench) => {
  const { cleanup, rounds, say } = bench;
  const messenger = await startFakeMessenger({ acceptAnyToken: true, limitsWebhookRate: false });
  await cleanup.add(() => messenger.close());
  const model = await startFakeModel({ reply: () => 'This is the answer.' });
  await cleanup.add(() => model.close());
  const installation = await startInstallation({
    dataDir: bench.dir,
    cleanup,
    env: settings(messenger.url, model.url),
  });
  await createBots(installation.gatewayUrl, { tenants: 1, botsPerTenant: 1, model: 'sandbox' });
  const chats = new Chats(messenger);
  await chats.send({});
  const series = new Series();
  let answered = 0;
  for (let round = 1; round <= rounds; round += 1)
    for (const [name, sent] of Object.entries(kinds)) {
      say(`round ${round}/${rounds}: ${name}`);
      const before = cpuSeconds(installation.pids);
      const memory = watchMemory(installation.pids);
      const begin = performance.now();
      for (let count = 0; count < ofEach; count += 1) answered += (await chats.send(sent)) ? 1 : 0;
      const ms = (performance.now() - begin) / ofEach;
      const used = difference(cpuSeconds(installation.pids), before);
      const cpuMs = Object.fromEntries(measured.map((one) => [one, ((used[one] ?? 0) / ofEach) * 1000]));
      series.add(name, { ms, ...memory.stop(), ...cpuMs });
    }
  const checks = [check('messages answered', rounds * ofEach * Object.keys(kinds).length, answered)];
  return { tables: [table(series)], checks, rounds: series };
};

const settings = (messengerUrl: string, modelUrl: string) => ({
  MESSENGER_API_URL: messengerUrl,
  PRIVATE_LLM_BASE_URL: modelUrl,
  PRIVATE_LLM_TRANSCRIPTION_MODEL: 'whisper-1',
  WEBHOOK_RATE_LIMIT_PER_MINUTE: '1000000000',
});

/** Chats in which one person each writes one message. */
class Chats {
  readonly #messenger: FakeMessenger;
  readonly #waiting = new Map<string, () => void>();
  #lastChatId = 6_700_000_000;

  constructor(messenger: FakeMessenger) {
    this.#messenger = messenger;
    messenger.subscribe((event) => {
      if (event.type === 'message' && event.entry.direction === 'out') this.#waiting.get(event.chatId)?.();
    });
  }

  /** Sends a message. Returns true if it was answered. */
  async send(sent: Sent): Promise<boolean> {
    this.#lastChatId += 1;
    const answer = Promise.withResolvers<true>();
    this.#waiting.set(String(this.#lastChatId), () => answer.resolve(true));
    this.#messenger.say({
      botToken: botToken(0),
      chatId: this.#lastChatId,
      text: 'What is this?',
      ...sent,
    });
    return (await within(lostAfterMs, answer.promise)) ?? false;
  }
}

/** Watches the peak memory of the services that handle files. */
function watchMemory({ webhooks = 0, agents = 0 }: Readonly<Record<string, number>>) {
  const most = { webhooksMib: 0, agentsMib: 0 };
  const look = () => {
    most.webhooksMib = Math.max(most.webhooksMib, rssMib(webhooks));
    most.agentsMib = Math.max(most.agentsMib, rssMib(agents));
  };
  const timer = setInterval(look, lookEveryMs);
  return {
    stop: () => {
      clearInterval(timer);
      look();
      return most;
    },
  };
}

function table(series: Series): Table {
  const row = (name: string) => [
    name,
    ...['ms', ...measured, 'webhooksMib', 'agentsMib'].map((metric) => spread(series.of(name, metric))),
  ];
  return {
    title: `Media: ${ofEach} messages with a file, one after the other, each in a chat of its own`,
    head: [
      'file',
      'ms to the answer',
      ...measured.map((name) => `${name}, CPU ms`),
      'webhooks, most RSS MiB',
      'agents, most RSS MiB',
    ],
    rows: Object.keys(kinds).map(row),
    notes: ['The messenger and the model are on the same machine and answer at once.'],
  };
}
