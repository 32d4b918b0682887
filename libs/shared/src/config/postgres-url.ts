import { z } from 'zod';

/** `sslmode` with libpq's meaning. `allow` and `prefer` silently fall back to plain text, so they are refused. */
const sslModes = ['disable', 'require', 'verify-ca', 'verify-full'];

/** The address of a Postgres database: one server, and `sslmode` with its files. */
export const postgresUrl = z.string().superRefine((url, context) => {
  const message = postgresUrlFault(url);
  if (message) context.addIssue({ code: 'custom', message });
});

/** The fault of the address, without its content. */
function postgresUrlFault(url: string): string | undefined {
  if (!/^postgres(ql)?:\/\//i.test(url)) return 'must begin with postgres:// or postgresql://';
  if (/^[^/?#]*,/.test(url.replace(/^[^/]*\/\//, '').replace(/^[^/?#]*@/, ''))) return severalHosts;
  if (/[?&]host(addr)?=[^&]*(,|%2c)/i.test(url)) return severalHosts;
  if (!URL.canParse(url))
    return 'is not an address: encode special characters of the password, such as %40 for @';
  const { searchParams } = new URL(url);
  if (searchParams.has('target_session_attrs')) return severalHosts;
  if (searchParams.has('pgbouncer') && !/^(true|false)$/.test(searchParams.get('pgbouncer') ?? ''))
    return 'pgbouncer must be true or false';
  return sslFault(searchParams);
}

/**
 * Whether the address leads through a pooler that may use another server connection for each transaction:
 * `pgbouncer=true`.
 */
export const isPooled = (url: string): boolean => new URL(url).searchParams.get('pgbouncer') === 'true';

const severalHosts =
  'names several hosts or target_session_attrs, which is not supported: give one address that leads to the primary';

function sslFault(searchParams: URLSearchParams): string | undefined {
  const mode = searchParams.get('sslmode');
  if (mode !== null && !sslModes.includes(mode)) return `sslmode must be one of ${sslModes.join(', ')}`;
  if (searchParams.has('ssl')) return 'ssl is not supported: use sslmode';
  const file = ['sslrootcert', 'sslcert', 'sslkey'].find((name) => searchParams.has(name));
  if (file && (mode ?? 'disable') === 'disable') return `${file} has no effect without sslmode=verify-full`;
  if (searchParams.has('sslcert') !== searchParams.has('sslkey'))
    return 'sslcert and sslkey are set together or not at all';
  const authorities = searchParams.get('sslrootcert');
  if (mode === 'verify-ca' && !authorities) return 'sslmode=verify-ca needs sslrootcert';
  if (authorities === 'system' && mode !== 'verify-full')
    return 'sslrootcert=system needs sslmode=verify-full';
  return undefined;
}
