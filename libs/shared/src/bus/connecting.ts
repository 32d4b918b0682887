import { AuthorizationError, type ConnectionOptions, connect, RequestError } from '@nats-io/transport-node';
import { checkReadable } from '../config/readable.ts';

export interface BusAddress {
  /** One server, or several, separated by commas. */
  url: string;
  user?: string | undefined;
  password?: string | undefined;
  /** Certificates of authorities. If set, or if `url` uses `tls://`, an unencrypted connection is refused. */
  caFile?: string | undefined;
}

const isEncrypted = ({ url, caFile }: BusAddress): boolean =>
  caFile !== undefined || url.split(',').some((server) => /^\s*tls:/i.test(server));

/**
 * The driver's options for the address and the login of NATS.
 * @throws ConfigError when the file of authorities can't be read.
 */
export function addressOptions(address: BusAddress): ConnectionOptions {
  const { url, user, password, caFile } = address;
  if (caFile) checkReadable('NATS_CA_FILE', caFile);
  return {
    servers: url.split(',').map((server) => server.trim()),
    ...(user ? { user, pass: password ?? '' } : {}),
    ...(isEncrypted(address) ? { tls: caFile ? { caFile } : {} } : {}),
    timeout: 2000,
  };
}

/**
 * Connects once and disconnects. Returns the reason if it failed.
 * @throws as `addressOptions`.
 */
export async function tryToConnect(address: BusAddress): Promise<Error | undefined> {
  const options = addressOptions(address);
  try {
    const connection = await connect({ ...options, reconnect: false });
    await connection.close();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** The operator's remedy for a failed connection. */
export const busRemedy = (error: Error): string =>
  error instanceof AuthorizationError
    ? 'Give NATS_USER and NATS_PASSWORD the values that nats-server has for this service, and restart it.'
    : 'Look at nats-server, and at NATS_URL.';

/** True when nothing on the bus receives the request or event. */
export const isNoResponder = (error: unknown): boolean =>
  (error instanceof RequestError && error.isNoResponders()) ||
  (error instanceof Error && error.cause !== undefined && isNoResponder(error.cause));
