import { natsPermissions, serverPermissions } from '@botyard/shared/bus/permissions';
import { noticesSilence } from '../embedded/nats-server.ts';
import { natsUsers, routesUser, type Secrets } from '../launcher/settings/secrets.ts';

/**
 * Returns the configuration of a nats-server. Each service has a login that may publish and receive only its own
 * subjects. Several servers share the file; each gets its name from its command line. If `isEncrypted`, clients must
 * use TLS.
 */
export function natsConfig(namespace: string, { nats }: Secrets, servers: number, isEncrypted = false) {
  return {
    server_name: 'botyard',
    port: 4222,
    http_port: 8222,
    max_payload: 1024 * 1024,
    ...noticesSilence,
    ...(isEncrypted ? { tls: { ...clientCertificate, timeout: 5 } } : {}),
    // An acknowledged message is on disk.
    jetstream: { store_dir: '/data', sync_interval: 'always' },
    authorization: {
      users: natsUsers.map((user) => ({
        user,
        password: nats[user],
        permissions: permissionsOf(namespace, user),
      })),
    },
    ...(servers > 1 ? { cluster: clusterConfig(nats[routesUser] ?? '', servers) } : {}),
  };
}

const certificates = '/etc/nats-routes';
const clientCertificate = { cert_file: '/etc/nats-tls/tls.crt', key_file: '/etc/nats-tls/tls.key' };

/** A server needs the password and a certificate of the same authority to join the cluster. */
function clusterConfig(password: string, servers: number) {
  const files = {
    cert_file: `${certificates}/tls.crt`,
    key_file: `${certificates}/tls.key`,
    ca_file: `${certificates}/ca.crt`,
  };
  return {
    name: 'botyard',
    listen: '0.0.0.0:6222',
    // Servers know each other from their routes, and clients connect by the name of the service.
    no_advertise: true,
    authorization: { user: routesUser, password, timeout: 5 },
    tls: { ...files, verify: true, timeout: 5 },
    routes: Array.from(
      { length: servers },
      (_, number) => `nats://${routesUser}:${password}@nats-${number}.nats-peers:6222`,
    ),
  };
}

function permissionsOf(namespace: string, user: (typeof natsUsers)[number]) {
  if (user === 'admin') return serverPermissions({ publish: ['>'], subscribe: ['>'] });
  return serverPermissions(natsPermissions(namespace, user));
}
