import { readFileSync } from 'node:fs';
import type { ServiceName } from '@botyard/contracts/http/contract';
import { eventually } from '@botyard/testing/eventually';
import type { NatsConnection } from '@nats-io/transport-node';
import { connect } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { natsPermissions } from '../../src/bus/permissions.ts';
import { covers } from '../../src/bus/rights.ts';
import { drainSubject, serviceNames } from '../../src/system/subjects.ts';
import { observe } from './attacks/capabilities.ts';
import {
  allSubjects,
  type Installation,
  names,
  namespace,
  openInstallation,
  owners,
  pullFrom,
} from './attacks/installation.ts';

/**
 * Everything that an attacker with the NATS login of one service can do. The attacker's connection has no permissions that hold
 * it back, so that the accounts alone are tested: the server doesn't apply permissions to what it delivers itself.
 */
let installation: Installation;
beforeAll(async () => {
  installation = await openInstallation();
});
afterAll(() => installation?.close());

const documentFile = new URL('../../../../docs/reliability.md', import.meta.url);
/** The list in the document: a heading for each service, and a line for each kind of thing. */
function documented(service: ServiceName): string[] {
  const text = readFileSync(documentFile, 'utf8');
  const [, list = ''] =
    new RegExp(`\n### The login of ${service}\n\n((?:(?:- |  )[^\n]*\n)+)`).exec(text) ?? [];
  return list
    .split(/^- /m)
    .slice(1)
    .map((item) => item.replaceAll('`', '').replace(/\s+/g, ' ').trim());
}

/** Streams and consumers of others, and what they heard since. */
async function foreignState(service: ServiceName) {
  const stored = Object.entries(await installation.stored()).filter(
    ([name]) => name.split(' ')[0] !== names.stream(service),
  );
  return Object.fromEntries(stored);
}

const ask = async (connection: NatsConnection, subject: string, body: unknown = '') => {
  try {
    const data = typeof body === 'string' ? body : JSON.stringify(body);
    return (await connection.request(subject, data, { timeout: 1500 })).json<Record<string, unknown>>();
  } catch (error) {
    return { error };
  }
};

describe.each(serviceNames)('%s', (service) => {
  test('S-12: reaches what docs/reliability.md lists, and nothing else', async () => {
    const observed = await observe(installation, service);
    expect(observed).toEqual(documented(service));
  });

  test('S-12: every call of the JetStream API for a stream, a consumer or an account of others fails', async () => {
    const attacker = await installation.attackerIn(service);
    const before = await foreignState(service);
    const isAllowed = (subject: string) => /STREAM\.(?:INFO|MSG\.GET)\./.test(subject);
    const calls = foreignCalls(service).filter(([subject]) => !isAllowed(subject));
    const answered: string[] = [];
    for (const [subject, body] of calls) {
      const { error, ...rest } = await ask(attacker, subject, body);
      if (error === undefined && !isAboutOwnAccount(service, subject, rest)) answered.push(subject);
    }
    expect(answered).toEqual([]);
    expect(await foreignState(service)).toEqual(before);
  });

  test('S-12: nobody hears what its own stream and consumers deliver, and they receive nothing of others', async () => {
    if (!owners.includes(service)) return;
    const attacker = await installation.attackerIn(service);
    const stream = names.stream(service);
    const before = await foreignState(service);
    const heardBefore = installation.heard.length;
    const config = {
      ...fixedSettings,
      name: stream,
      subjects: [names.streamSubjects(service)],
      max_bytes: 1024 ** 3,
    };
    let accepted = 0;
    const update = async (change: object) => {
      const { error } = await ask(attacker, `$JS.API.STREAM.UPDATE.${stream}`, { ...config, ...change });
      if (error === undefined) accepted += 1;
    };
    const event = `${namespace}.event.${service}.attack.made.v1._._`;
    const targets = allSubjects().filter((subject) => !subject.startsWith(`${namespace}.event.${service}`));
    for (const dest of targets) {
      await update({ republish: { src: event, dest } });
      await ask(attacker, event, '{"attack":"republish"}');
    }
    // The server takes most of these settings; the account is what makes them harmless.
    expect(accepted).toBeGreaterThan(targets.length / 2);
    for (const dest of [...targets, ...dangerousTargets()]) {
      await ask(attacker, `$JS.API.CONSUMER.CREATE.${stream}.attack`, {
        stream_name: stream,
        config: {
          name: 'attack',
          deliver_subject: dest,
          ack_policy: 'none',
          headers_only: dest.startsWith('$JS'),
        },
      });
      await ask(attacker, event, '{"attack":"deliver"}');
      await ask(attacker, `$JS.API.CONSUMER.DELETE.${stream}.attack`);
    }
    for (const name of owners.filter((owner) => owner !== service).map(names.stream)) {
      await update({ sources: [{ name }] });
      await update({
        sources: [{ name, external: { api: '$JS.API', deliver: names.inboxPrefix('agents') } }],
      });
      await update({ mirror: { name } });
    }
    await update({ sources: [] });
    await update({ subject_transform: { src: '>', dest: names.streamSubjects('tenancy') } });
    // The server refuses `>` on its own beside JetStream's subjects, so each kind is tried separately.
    for (const subject of ['>', '_INBOX.>', `${namespace}.>`, '$SYS.>', '$JS.>', '$O.>', '$KV.>', '$SRV.>'])
      await update({ subjects: [names.streamSubjects(service), subject], no_ack: true });
    for (const bus of installation.buses.values())
      bus.live().connection.publish(drainSubject(namespace, bus.service), '{}');
    const own = await ask(attacker, `$JS.API.STREAM.INFO.${stream}`, { subjects_filter: '>' });
    const captured = Object.keys((own.state as { subjects?: object } | undefined)?.subjects ?? {});
    // In its account are only its events, the calls of the API for its stream, and what the server says of these.
    const isOwn = (subject: string) =>
      subject.startsWith(`${namespace}.event.${service}.`) ||
      subject.split('.').includes(stream) ||
      subject === '$JS.EVENT.ADVISORY.API';
    expect(captured.filter((subject) => !isOwn(subject))).toEqual([]);
    const attacks = installation.heard
      .slice(heardBefore)
      .filter(({ by, text }) => by !== service && /attack/.test(text));
    // Those that may hear the service's events hear these, as events of this service and of no other.
    expect(attacks.filter(({ subject }) => subject.split('.')[2] !== service)).toEqual([]);
    expect(await foreignState(service)).toEqual(before);
    await update({});
  });

  test('S-12: the answer to a request reaches no subject of another account, whatever reply it names', async () => {
    const attacker = await installation.attackerIn(service);
    const heardBefore = installation.heard.length;
    const before = await foreignState(service);
    const stream = names.stream(service);
    const replies = allSubjects().filter((subject) => !subject.startsWith(`${namespace}.event.${service}`));
    const probes = [
      `$JS.API.STREAM.MSG.GET.${stream}`,
      `$JS.API.STREAM.INFO.${stream}`,
      pullFrom(stream, service),
      `$JS.API.DIRECT.GET.OBJ_${names.bucket}`,
      '$SYS.REQ.USER.INFO',
    ];
    for (const reply of replies) for (const probe of probes) attacker.publish(probe, '{"seq":1}', { reply });
    await attacker.flush();
    await installation.settle();
    // As a reply, a request that the service may send is no more than that request.
    const { publish } = natsPermissions(namespace, service);
    const later = installation.heard
      .slice(heardBefore)
      .filter(({ by, subject }) => by !== service && !publish.some((allowed) => covers(allowed, subject)));
    expect(later.filter(({ text }) => /nats\.jetstream|its owner|a file|permissions/.test(text))).toEqual([]);
    expect(await foreignState(service)).toEqual(before);
  });

  test('S-12: an inbox of another service can neither be read nor answered, even by its exact subject', async () => {
    const victim = serviceNames.find((name) => name !== service)!;
    const inbox = `${names.inboxPrefix(victim)}.exact.1`;
    const received: string[] = [];
    const own = await installation.loginOf(victim);
    own.subscribe(inbox, { callback: (_error, message) => void received.push(message.string()) });
    await own.flush();
    const attacker = await installation.attackerIn(service);
    const overheard: string[] = [];
    for (const subject of ['>', '_INBOX.>', inbox, '_R_.>', '$SYS.>', '$JS.EVENT.>'])
      attacker.subscribe(subject, { callback: (_error, message) => void overheard.push(message.subject) });
    attacker.publish(inbox, 'forged');
    await attacker.flush();
    (await installation.attackerIn(victim)).publish(inbox, 'genuine');
    await eventually('the genuine answer arrives', () => received.includes('genuine'));
    expect(received).toEqual(['genuine']);
    expect(overheard.filter((subject) => subject === inbox && service === victim)).toEqual([]);
  });

  test('S-12: its account bounds its connections, streams, consumers and memory, and leaves the others theirs', async () => {
    const attacker = await installation.attackerIn(service);
    expect(attacker.info?.max_payload).toBe(1024 * 1024);
    const evil = ['evil', `OBJ_evil`, 'KV_evil'];
    for (const name of evil)
      expect(
        (await ask(attacker, `$JS.API.STREAM.CREATE.${name}`, { name, subjects: [name] })).error,
      ).toBeDefined();
    const stream = names.stream(service);
    const inMemory = { name: stream, storage: 'memory', subjects: [names.streamSubjects(service)] };
    expect((await ask(attacker, `$JS.API.STREAM.UPDATE.${stream}`, inMemory)).error).toBeDefined();
    if (!owners.includes(service)) return;
    const subjects = [names.streamSubjects(service)];
    const ofBytes = (bytes: number) => ({ ...fixedSettings, name: stream, subjects, max_bytes: bytes });
    const update = (bytes: number) => ask(attacker, `$JS.API.STREAM.UPDATE.${stream}`, ofBytes(bytes));
    expect(await update(1024 ** 3)).not.toHaveProperty('error');
    expect((await update(2 * 1024 ** 3)).error).toBeDefined();
  });
});

test('S-12: a service that takes all connections of its account leaves those of the others', async () => {
  const opened: NatsConnection[] = [];
  let refused: Error | undefined;
  const login = { servers: installation.url, user: 'webhooks', pass: 'p', reconnect: false, timeout: 3000 };
  while (!refused && opened.length < 400)
    await connect(login).then(
      (connection) => opened.push(connection),
      (error: Error) => {
        refused = error;
      },
    );
  expect(opened.length).toBeLessThan(257);
  const other = await connect({ ...login, user: 'agents' });
  await other.flush();
  await Promise.all([other, ...opened].map((connection) => connection.close()));
});

/** Settings of a stream that can't be changed. */
const fixedSettings = { allow_msg_ttl: true, persist_mode: 'async' };

/** The server tells every account of its own connections. */
const isAboutOwnAccount = (service: ServiceName, subject: string, answer: object): boolean =>
  subject.endsWith('.CONNZ') &&
  serviceNames.every((name) => name === service || !JSON.stringify(answer).includes(`"account":"${name}"`));

/** Subjects on which a server acts for whoever publishes there. */
const dangerousTargets = (): string[] =>
  owners.flatMap((owner) => [
    `$JS.API.STREAM.PURGE.${names.stream(owner)}`,
    `$JS.API.STREAM.DELETE.${names.stream(owner)}`,
    pullFrom(names.stream(owner), 'agents'),
    `$JS.ACK.${names.stream(owner)}.agents.1.1.1.1700000000000000000.0`,
  ]);

function foreignCalls(service: ServiceName): [string, unknown?][] {
  const streams = owners.filter((owner) => owner !== service).map(names.stream);
  const ofStream = ['CREATE', 'UPDATE', 'DELETE', 'PURGE', 'SNAPSHOT', 'RESTORE', 'INFO'];
  const ofConsumer = ['CREATE', 'DELETE', 'INFO', 'PAUSE', 'RESET', 'UNPIN', 'LEADER.STEPDOWN'];
  const config = (name: string) => ({ name, subjects: [`${namespace}.>`], deliver_subject: 'x' });
  return [
    ...streams.flatMap((stream): [string, unknown?][] => [
      ...ofStream.map((call): [string, unknown] => [`$JS.API.STREAM.${call}.${stream}`, config(stream)]),
      [`$JS.API.STREAM.MSG.DELETE.${stream}`, { seq: 1 }],
      [`$JS.API.STREAM.MSG.GET.${stream}`, { seq: 1 }],
      [`$JS.API.STREAM.LEADER.STEPDOWN.${stream}`],
      [`$JS.API.STREAM.PEER.REMOVE.${stream}`, { peer: 'botyard' }],
      [`$JS.API.DIRECT.GET.${stream}`, { seq: 1 }],
      [`$JS.API.CONSUMER.LIST.${stream}`],
      [`$JS.API.CONSUMER.NAMES.${stream}`],
      [`$JS.API.CONSUMER.CREATE.${stream}`, { stream_name: stream, config: { deliver_subject: 'x' } }],
      [`$JS.API.CONSUMER.CREATE.${stream}.attack`, { stream_name: stream, config: { name: 'attack' } }],
      [`$JS.API.CONSUMER.DURABLE.CREATE.${stream}.attack`, { config: { durable_name: 'attack' } }],
      ...serviceNames
        .filter((other) => other !== service)
        .flatMap((other) => [
          ...ofConsumer.map((call): [string] => [`$JS.API.CONSUMER.${call}.${stream}.${other}`]),
          [pullFrom(stream, other), { batch: 1, no_wait: true }] as [string, unknown],
          [`$JS.ACK.${stream}.${other}.1.1.1.1700000000000000000.0`] as [string],
        ]),
    ]),
    ['$JS.API.STREAM.NAMES'],
    ['$JS.API.STREAM.LIST'],
    ['$JS.API.META.LEADER.STEPDOWN'],
    ['$JS.API.SERVER.REMOVE', { peer: 'botyard' }],
    ['$JS.API.ACCOUNT.PURGE.files'],
    ['$JS.API.ACCOUNT.STREAM.MOVE.files.x'],
    ['$SYS.REQ.SERVER.PING'],
    ['$SYS.REQ.SERVER.PING.CONNZ'],
    ['$SYS.REQ.ACCOUNT.files.JSZ'],
    ['$SYS.REQ.ACCOUNT.PING.CONNZ'],
    ['$SYS.REQ.CLAIMS.LIST'],
    [`$JS.API.STREAM.CREATE.KV_x`, { name: 'KV_x', subjects: ['$KV.x.>'] }],
    [`$JS.API.STREAM.CREATE.OBJ_x`, { name: 'OBJ_x', subjects: ['$O.x.>'] }],
  ];
}
