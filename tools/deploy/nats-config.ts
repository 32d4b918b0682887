import { natsPermissions } from '@botyard/shared/bus/permissions';
import { noticesSilence } from '../embedded/nats-server.ts';
import { natsUsers, type Secrets } from '../launcher/settings/secrets.ts';

/** The configuration of a nats-server: a login for each service, which may say and hear only what is its own. */
export function natsConfig(namespace: string, { nats }: Secrets) {
  return {
    server_name: 'botyard',
    port: 4222,
    http_port: 8222,
    max_payload: 1024 * 1024,
    ...noticesSilence,
    // An acknowledgement means that the message is on the disk.
    jetstream: { store_dir: '/data', sync_interval: 'always' },
    authorization: {
      users: natsUsers.map((user) => ({
        user,
        password: nats[user],
        permissions: permissionsOf(namespace, user),
      })),
    },
  };
}

function permissionsOf(namespace: string, user: (typeof natsUsers)[number]) {
  const { publish, subscribe } =
    user === 'admin' ? { publish: ['>'], subscribe: ['>'] } : natsPermissions(namespace, user);
  return { publish: { allow: publish }, subscribe: { allow: subscribe } };
}
