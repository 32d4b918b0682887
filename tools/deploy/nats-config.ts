import { maxFileStoreOf } from '@botyard/shared/bus/accounts';
import { noticesSilence } from '../embedded/nats-server.ts';
import { accountsOf } from '../launcher/settings/nats-accounts.ts';
import { routesUser, type Secrets } from '../launcher/settings/secrets.ts';

interface NatsConfigParts {
  namespace: string;
  secrets: Secrets;
  servers: number;
  filesMaxBytes: number;
  isEncrypted?: boolean;
}

/**
 * Returns the configuration of a nats-server. Each service has a login to an account of its own. Several servers share
 * the file; each gets its name from its command line. If `isEncrypted`, clients
 * must use TLS.
 */
export function natsConfig({
  namespace,
  secrets,
  servers,
  filesMaxBytes,
  isEncrypted = false,
}: NatsConfigParts) {
  const accounts = accountsOf(namespace, secrets, { filesMaxBytes, replicas: servers }).config;
  return {
    server_name: 'botyard',
    port: 4222,
    http_port: 8222,
    max_payload: 1024 * 1024,
    ...noticesSilence,
    ...(isEncrypted ? { tls: { ...clientCertificate, timeout: 5 } } : {}),
    // An acknowledged message is on disk.
    jetstream: { store_dir: '/data', sync_interval: 'always', max_file_store: maxFileStoreOf(accounts) },
    accounts,
    ...(servers > 1 ? { cluster: clusterConfig(secrets.nats[routesUser] ?? '', servers) } : {}),
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
