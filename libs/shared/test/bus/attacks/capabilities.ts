import { requests, signals } from '@botyard/contracts/events/catalogue';
import type { ServiceName } from '@botyard/contracts/http/contract';
import type { NatsConnection, Subscription } from '@nats-io/transport-node';
import { drainSubject, serviceNames } from '../../../src/system/subjects.ts';
import { allSubjects, type Installation, names, namespace, owners } from './installation.ts';

/** The things that a login was observed to reach outside of its own account, one line for each kind. */
export async function observe(installation: Installation, service: ServiceName): Promise<string[]> {
  const attacker = await installation.attackerIn(service);
  const reached = await subjectsReached(installation, attacker, service);
  const isReached = (subject: string) => reached.has(subject);
  const heardFrom = await ownersHeard(installation, attacker, service);
  const readable = await filter(owners, (owner) =>
    answers(attacker, getMessage(names.stream(owner)), '{"seq":1}'),
  );
  const changeable = await filter(owners, (owner) =>
    answers(attacker, `$JS.API.CONSUMER.INFO.${names.stream(owner)}.none`, '', true),
  );
  const sentRequests = requests
    .filter((request) => isReached(names.request(request)))
    .map(({ name }) => name);
  const signalled = signals.filter((signal) => isReached(names.signal(signal))).map(({ name }) => name);
  const drained = isReached(drainSubject(namespace, service)) ? ['its own processes'] : [];
  const restarted = serviceNames.filter((name) => isReached(`${namespace}.system.restart.${name}`));
  const discovered = serviceNames.filter((name) => isReached(`$SRV.PING.${namespace}-${name}`));
  const consumers = serviceNames.filter((owner) => isReached(names.consumerRequest(owner, service)));
  const hasFiles = await answers(attacker, getMessage(`OBJ_${names.bucket}`), '{"seq":1}');
  return [
    line('publishes, hides and deletes events of', changeable),
    line('reads stored events of', readable),
    line('hears events of', heardFrom),
    line('asks for its own consumer at', consumers),
    line('sends the requests', sentRequests),
    line('sends the signals', signalled),
    line('announces the end of', drained),
    line('asks and restarts processes of', restarted),
    line('discovers processes of', discovered),
    line('writes, reads and removes', hasFiles ? ['every file'] : []),
  ].filter((text) => text !== '');
}

const line = (what: string, list: readonly string[]): string =>
  list.length > 0 ? `${what} ${[...list].sort().join(', ')}` : '';
const getMessage = (stream: string): string => `$JS.API.STREAM.MSG.GET.${stream}`;

/** Publishes to every subject, and returns those on which another service heard it. */
async function subjectsReached(
  { heard, settle }: Installation,
  attacker: NatsConnection,
  service: ServiceName,
): Promise<Set<string>> {
  const text = `from ${service}`;
  for (const subject of allSubjects()) attacker.publish(subject, text);
  await attacker.flush();
  await settle();
  return new Set(
    heard.filter((one) => one.by !== service && one.text === text).map(({ subject }) => subject),
  );
}

/** Subscribes to everything, while every owner publishes an event. */
async function ownersHeard(
  { buses, settle }: Installation,
  attacker: NatsConnection,
  service: ServiceName,
): Promise<string[]> {
  const subjects = new Set<string>();
  const patterns = ['>', ...owners.map(names.streamSubjects), ...owners.map(names.republishedSubjects)];
  const subscriptions: Subscription[] = [];
  for (const pattern of patterns)
    subscriptions.push(
      attacker.subscribe(pattern, { callback: (_error, { subject }) => void subjects.add(subject) }),
    );
  await attacker.flush();
  for (const owner of owners.filter((name) => name !== service))
    await buses.get(owner)!.live().jetstream.publish(`${namespace}.event.${owner}.a.b.c.d.e`, '{}');
  await settle();
  await attacker.flush();
  // As long as they are there, no request fails for a lack of responders.
  for (const subscription of subscriptions) subscription.unsubscribe();
  await attacker.flush();
  return owners.filter((owner) => subjects.has(`${namespace}.event.${owner}.a.b.c.d.e`));
}

/** Whether somebody answers; with `isAny`, also with an error. */
async function answers(
  connection: NatsConnection,
  subject: string,
  body: string,
  isAny = false,
): Promise<boolean> {
  try {
    const answer = await connection.request(subject, body, { timeout: 3000 });
    return isAny || answer.json<{ error?: unknown }>().error === undefined;
  } catch {
    return false;
  }
}

async function filter<T>(list: readonly T[], isWanted: (one: T) => Promise<boolean>): Promise<T[]> {
  const wanted = await Promise.all(list.map(isWanted));
  return list.filter((_, index) => wanted[index]);
}
