import type { ServiceName } from '@botyard/contracts/http/contract';

export const serviceNames = [
  'gateway',
  'tenancy',
  'keys',
  'usage',
  'webhooks',
  'agents',
] as const satisfies readonly ServiceName[];

/** The only service that sends requests to processes; it owns the routers `/api/system` and `/api/config`. */
export const asker: ServiceName = 'tenancy';

export type DiscoveryVerb = 'PING' | 'INFO' | 'STATS';
const verbs: readonly DiscoveryVerb[] = ['PING', 'INFO', 'STATS'];

/** A service's name in NATS service discovery; several installations may share a server. */
export const discoveryName = (namespace: string, service: string): string => `${namespace}-${service}`;

/** Subjects of a request to all processes, then to all of a service; the process itself is `<service>.<instanceId>`. */
export const discoverySubjects = (name: string, verb: DiscoveryVerb): string[] => [
  `$SRV.${verb}`,
  `$SRV.${verb}.${name}`,
];

export const questionSubject = (namespace: string, question: string, to: string): string =>
  `${namespace}.system.${question}.${to}`;

/** The subject on which a process announces that it is about to end. */
export const drainSubject = (namespace: string, service: string): string => `${namespace}.drain.${service}`;

/** Every nats-server answers on this subject with the rights of the requesting login. */
export const ownRightsSubject = '$SYS.REQ.USER.INFO';

/** The subjects of this protocol that every process may receive and publish. */
export function systemPermissions(
  namespace: string,
  service: string,
): { publish: string[]; subscribe: string[]; denySubscribe: string[] } {
  const name = discoveryName(namespace, service);
  const heard = verbs.flatMap((verb) => [...discoverySubjects(name, verb), `$SRV.${verb}.${name}.*`]);
  return {
    publish: [
      drainSubject(namespace, service),
      ownRightsSubject,
      ...(service === asker
        ? [
            `${namespace}.system.>`,
            ...serviceNames.flatMap((other) => [
              `$SRV.PING.${discoveryName(namespace, other)}`,
              `$SRV.STATS.${discoveryName(namespace, other)}.*`,
            ]),
          ]
        : []),
    ],
    subscribe: [
      ...heard,
      questionSubject(namespace, '*', service),
      questionSubject(namespace, '*', `${service}.*`),
      drainSubject(namespace, '*'),
    ],
    denySubscribe: [drainSubject(namespace, service)],
  };
}
