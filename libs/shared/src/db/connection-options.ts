import type pg from 'pg';
import { checkReadable } from '../config/readable.ts';

const files = ['sslrootcert', 'sslcert', 'sslkey'];

/**
 * The driver's options for an address that `postgresUrl` accepted. The driver itself treats every `sslmode` as
 * `verify-full`; here each has libpq's meaning: `require` encrypts, and verifies the authority if `sslrootcert` names
 * one.
 * @throws ConfigError when a file that the address names can't be read.
 */
export function connectionOptions(address: string): Pick<pg.ClientConfig, 'connectionString'> {
  const url = new URL(address);
  const { searchParams } = url;
  if (!searchParams.has('sslmode')) return { connectionString: address };
  // Without named authorities the driver uses those of Node.
  if (searchParams.get('sslrootcert') === 'system') searchParams.delete('sslrootcert');
  for (const name of files) {
    const file = searchParams.get(name);
    if (file) checkReadable(`DATABASE_URL: ${name}`, file);
  }
  searchParams.set('uselibpqcompat', 'true');
  return { connectionString: url.toString() };
}

/**
 * A client that vanished without closing its connection would keep its session for two hours by default. A few of
 * those would use up the server's connections.
 */
const noticesSilence =
  '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3 -c tcp_user_timeout=25000';

/** Options that the address already has come last, so that they take precedence. */
export function noticingSilence(address: string): string {
  const url = new URL(address);
  const own = url.searchParams.get('options') ?? '';
  url.searchParams.set('options', `${noticesSilence} ${own}`.trim());
  return url.toString();
}
