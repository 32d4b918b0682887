import { events, requests, signals } from '@botyard/contracts/events/catalogue';
import { asker, discoveryName, drainSubject, questionSubject, serviceNames } from '../system/subjects.ts';
import recorded from './bus-version.json' with { type: 'json' };
import { createNames, type Names } from './names.ts';
import {
  consumedOwners,
  natsPermissions,
  objectKeepers,
  ownStreamSubjects,
  type SubjectPermissions,
  serverPermissions,
} from './permissions.ts';

/** The name of the account and of the login for people and for tools that run with an operator's rights. */
export const operator = 'admin';
const filesAccount = 'files';
/** The account that keeps a service's stream. It has no login. */
const streamAccount = (service: string): string => `${service}-stream`;

/** Services that publish events, so that they have a stream. */
const owners = serviceNames.filter((name) => events.some(({ owner }) => owner === name));

/** A subject that one account offers to another one. */
interface Offer {
  kind: 'stream' | 'service';
  from: string;
  to: string;
  subject: string;
  /** A request has several responses. */
  hasManyResponses?: boolean;
}

interface AccountOptions {
  namespace: string;
  passwordOf: (user: string) => string;
  /** Limit of the object store's size. */
  filesMaxBytes: number;
  replicas: number;
}

const connectionLimits = { max_connections: 256, max_subscriptions: 20_000, max_payload: 1024 * 1024 };
/** Room for each service's consumer and for one that catches up with each of its events. */
const maxConsumers = 200;
const streamBytes = 1536 * 1024 ** 2;

/** An account as nats-server's configuration has it. */
export interface NatsAccount {
  jetstream?: { max_store: number };
}

/**
 * The accounts of nats-server's configuration (REQ-REL-6). Each service logs in to an account of its own, without
 * JetStream. Its stream is kept in a second account that has no login and receives nothing from any other. So a
 * service that makes its stream or a consumer deliver to a foreign subject, or that names one as a reply, reaches
 * only subjects of its own account, and the ones that are offered to it here.
 */
export function natsAccounts(options: AccountOptions): Record<string, NatsAccount> {
  const { namespace, passwordOf, filesMaxBytes, replicas } = options;
  const offers = offersOf(createNames(namespace));
  const links = (account: string) => ({
    exports: exportsOf(offers, account),
    imports: importsOf(offers, account),
  });
  const user = (name: string, rights: SubjectPermissions) => ({
    user: name,
    password: passwordOf(name),
    permissions: serverPermissions(rights),
  });
  const logins = serviceNames.map((name) => {
    const users = [user(name, natsPermissions(namespace, name))];
    return [name, { users, limits: connectionLimits, ...links(name) }] as const;
  });
  const stores = [
    ...owners.map((name) => [streamAccount(name), streamBytes] as const),
    [filesAccount, filesMaxBytes] as const,
  ].map(([name, bytes]) => {
    const jetstream = {
      max_memory: 0,
      max_store: bytes * replicas,
      max_streams: 1,
      max_consumers: maxConsumers,
    };
    return [name, { jetstream, ...links(name) }] as const;
  });
  const everything = { publish: ['>'], subscribe: ['>'] };
  const admin = [operator, { users: [user(operator, everything)], ...links(operator) }] as const;
  return Object.fromEntries([...logins, ...stores, admin]);
}

/**
 * The server's own limit of stored bytes: the sum of its accounts' limits. Without it the limit is three quarters of
 * the free disk, and a server whose accounts may have more refuses to start. A disk that becomes full is noticed then.
 */
export const maxFileStoreOf = (accounts: Record<string, NatsAccount>): number =>
  Object.values(accounts).reduce((sum, { jetstream }) => sum + (jetstream?.max_store ?? 0), 0);

/** The account in which a stream belongs; `undefined` for a stream that is none of this installation's. */
export function accountOfStream(namespace: string, stream: string): string | undefined {
  const names = createNames(namespace);
  if (stream === `OBJ_${names.bucket}`) return filesAccount;
  const owner = owners.find((name) => names.stream(name) === stream);
  return owner && streamAccount(owner);
}

function offersOf(names: Names): Offer[] {
  return [
    ...serviceNames.flatMap((name) => [
      offer('service', owners.includes(name) ? streamAccount(name) : filesAccount, name, '$JS.API.INFO'),
      ...drainOffers(names, name),
      ...systemOffers(names, name),
    ]),
    offer('service', filesAccount, operator, '$JS.API.INFO'),
    ...owners.flatMap((owner) => [...ownerOffers(names, owner), ...consumerOffers(names, owner)]),
    ...requests.flatMap((request) =>
      request.callers.map((caller) => offer('service', request.owner, caller, names.request(request))),
    ),
    ...signals.flatMap((signal) =>
      signal.listeners.map((listener) => offer('stream', signal.owner, listener, names.signal(signal))),
    ),
    ...[...objectKeepers, operator].flatMap((keeper) => fileOffers(names.bucket, keeper)),
  ].filter(({ from, to }) => from !== to);
}

const offer = (kind: Offer['kind'], from: string, to: string, subject: string): Offer => ({
  kind,
  from,
  to,
  subject,
});
const manyResponses = (from: string, to: string, subject: string): Offer => ({
  ...offer('service', from, to, subject),
  hasManyResponses: true,
});

/** A service and an operator create, change and read the service's stream; only the service publishes to it. */
function ownerOffers(names: Names, owner: string): Offer[] {
  const stream = names.stream(owner);
  const account = streamAccount(owner);
  return [
    offer('service', account, owner, names.streamSubjects(owner)),
    ...[owner, operator].flatMap((user) =>
      ownStreamSubjects(stream).map((subject) => offer('service', account, user, subject)),
    ),
    offer('service', account, operator, `$JS.API.CONSUMER.LIST.${stream}`),
    offer('service', account, operator, `$JS.API.CONSUMER.NAMES.${stream}`),
    offer('service', account, operator, `$JS.API.STREAM.LEADER.STEPDOWN.${stream}`),
    offer('service', account, operator, `$JS.API.CONSUMER.LEADER.STEPDOWN.${stream}.>`),
  ];
}

/**
 * Other services read the stream, follow the consumers that carry their name, and hear events as they are published.
 * They can't create a consumer: the server lets it deliver to any subject of the stream's account, such as the
 * acknowledgements of another service.
 */
function consumerOffers(names: Names, owner: string): Offer[] {
  const stream = names.stream(owner);
  const account = streamAccount(owner);
  return serviceNames
    .filter((service) => consumedOwners[service]?.includes(owner))
    .flatMap((service) => {
      const isOwn = service === owner;
      const shared = [`$JS.API.STREAM.INFO.${stream}`, `$JS.API.STREAM.MSG.GET.${stream}`];
      return [
        ...(isOwn ? [] : shared.map((subject) => offer('service', account, service, subject))),
        ...consumersOf(service, owner).flatMap((consumer) => [
          ...(isOwn
            ? []
            : [offer('service', account, service, `$JS.API.CONSUMER.INFO.${stream}.${consumer}`)]),
          // A consumer that has caught up is removed by its own service.
          ...(isOwn
            ? []
            : [offer('service', account, service, `$JS.API.CONSUMER.DELETE.${stream}.${consumer}`)]),
          manyResponses(account, service, `$JS.API.CONSUMER.MSG.NEXT.${stream}.${consumer}`),
          offer('service', account, service, `$JS.ACK.${stream}.${consumer}.>`),
        ]),
        offer('stream', account, service, names.republishedSubjects(owner)),
        offer('stream', owner, service, names.streamSubjects(owner)),
        offer('service', owner, service, names.consumerRequest(owner, service)),
      ];
    });
}

/** The service's durable consumer, and those that catch up with events that are added to it (`durable.ts`). */
function consumersOf(service: string, owner: string): string[] {
  const consumed = (recorded.consumers as Record<string, string[]>)[service] ?? [];
  const own = consumed.filter((event) => event.startsWith(`${owner}.`));
  return own.length === 0 ? [] : [service, ...own.map((event) => `${service}_${event.replaceAll('.', '_')}`)];
}

/** A process that is about to end announces it to all others. */
const drainOffers = ({ namespace }: Names, service: string): Offer[] =>
  serviceNames.map((other) => offer('stream', service, other, drainSubject(namespace, service)));

/** Tenancy and operators ask processes for their state, but only tenancy gives instructions. */
function systemOffers({ namespace }: Names, service: string): Offer[] {
  const name = discoveryName(namespace, service);
  const questions = [
    questionSubject(namespace, '*', service),
    questionSubject(namespace, '*', `${service}.*`),
  ].map((subject) => manyResponses(service, asker, subject));
  const answered = (to: string, subject: string) => manyResponses(service, to, subject);
  const discovery = ['PING', 'STATS', 'INFO'].flatMap((verb) => [
    answered(operator, `$SRV.${verb}.${name}`),
    answered(operator, `$SRV.${verb}.${name}.*`),
  ]);
  discovery.push(answered(asker, `$SRV.PING.${name}`), answered(asker, `$SRV.STATS.${name}.*`));
  return [...questions, ...discovery];
}

/** Every service that keeps files may write, read and remove all of them. */
function fileOffers(bucket: string, keeper: string): Offer[] {
  const stream = `OBJ_${bucket}`;
  return [
    offer('service', filesAccount, keeper, `$O.${bucket}.>`),
    ...['CREATE', 'UPDATE', 'INFO', 'PURGE', 'MSG.GET'].map((call) =>
      offer('service', filesAccount, keeper, `$JS.API.STREAM.${call}.${stream}`),
    ),
    manyResponses(filesAccount, keeper, `$JS.API.DIRECT.GET.${stream}`),
    manyResponses(filesAccount, keeper, `$JS.API.DIRECT.GET.${stream}.>`),
  ];
}

function exportsOf(offers: readonly Offer[], account: string): object[] {
  const own = Map.groupBy(
    offers.filter(({ from }) => from === account),
    ({ kind, subject }) => `${kind} ${subject}`,
  );
  return [...own.values()].map((same) => {
    const [{ kind, subject, hasManyResponses }] = same as [Offer];
    return {
      [kind]: subject,
      accounts: same.map(({ to }) => to),
      ...(hasManyResponses ? { response_type: 'stream' } : {}),
    };
  });
}

const importsOf = (offers: readonly Offer[], account: string): object[] =>
  offers
    .filter(({ to }) => to === account)
    .map(({ kind, from, subject }) => ({ [kind]: { account: from, subject } }));
