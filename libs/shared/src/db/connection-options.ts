import type pg from 'pg';
import { checkReadable } from '../config/readable.ts';

const files = ['sslrootcert', 'sslcert', 'sslkey'];

/**
 * The driver's options for an address that `postgresUrl` accepted. The driver itself takes every `sslmode` for
 * `verify-full`; here each has libpq's meaning: `require` encrypts, and verifies the authority when `sslrootcert` names
 * one.
 * @throws ConfigError when a file that the address names can't be read.
 */
export function connectionOptions(address: string): Pick<pg.ClientConfig, 'connectionString'> {
  const url = new URL(address);
  const { searchParams } = url;
  if (!searchParams.has('sslmode')) return { connectionString: address };
  // The authorities of Node are what the driver takes when none are named.
  if (searchParams.get('sslrootcert') === 'system') searchParams.delete('sslrootcert');
  for (const name of files) {
    const file = searchParams.get(name);
    if (file) checkReadable(`DATABASE_URL: ${name}`, file);
  }
  searchParams.set('uselibpqcompat', 'true');
  return { connectionString: url.toString() };
}

/**
 * A client that is gone without a word, such as behind a network that lost its goodbye, would keep its session for two
 * hours, as systems have it by default: a few of those, and the server takes no connection any more.
 */
const noticesSilence =
  '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3 -c tcp_user_timeout=25000';

/** The options that an address has by itself come last: they count. */
export function noticingSilence(address: string): string {
  const url = new URL(address);
  const own = url.searchParams.get('options') ?? '';
  url.searchParams.set('options', `${noticesSilence} ${own}`.trim());
  return url.toString();
}
