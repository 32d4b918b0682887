import { postgresUrl } from '@botyard/shared/config/postgres-url';
import { describe, expect, test } from 'vitest';

const several = /several hosts or target_session_attrs, which is not supported: give one address/;

describe('the address of a database', () => {
  test.each([
    ['another protocol', 'mysql://u:p@a/b', /must begin with postgres:\/\/ or postgresql:\/\//],
    ['several hosts', 'postgres://u:p@a:5432,b:5432/botyard', several],
    ['several hosts without a login', 'postgresql://a,b/botyard', several],
    ['several hosts by name', 'postgres://u:p@/botyard?host=a,b', several],
    ['several hosts by an encoded name', 'postgres://u:p@a/botyard?sslmode=require&host=a%2Cb', several],
    ['target_session_attrs', 'postgres://u:p@a/botyard?target_session_attrs=read-write', several],
    ['a password that is not encoded', 'postgres://u:p/#@a:5432/botyard', /is not an address: encode/],
    ['sslmode=prefer', 'postgres://a/b?sslmode=prefer', /one of disable, require, verify-ca, verify-full/],
    ['an sslmode of the driver', 'postgres://a/b?sslmode=no-verify', /sslmode must be one of/],
    ['an empty sslmode', 'postgres://a/b?sslmode=', /sslmode must be one of/],
    ['ssl', 'postgres://a/b?ssl=true', /ssl is not supported: use sslmode/],
    ['an authority without sslmode', 'postgres://a/b?sslrootcert=/ca', /sslrootcert has no effect without/],
    ['a certificate without its key', 'postgres://a/b?sslmode=require&sslcert=/c', /are set together/],
    ['verify-ca without an authority', 'postgres://a/b?sslmode=verify-ca', /verify-ca needs sslrootcert/],
    [
      'the system without names',
      'postgres://a/b?sslmode=require&sslrootcert=system',
      /needs sslmode=verify-full/,
    ],
  ])('is refused with %s', (_what, url, message) => {
    const { error } = postgresUrl.safeParse(url);
    expect(error?.issues.map((issue) => issue.message)).toEqual([expect.stringMatching(message)]);
    expect(error?.issues[0]?.message).not.toContain('u:p');
  });

  test.each([
    'postgres://u:p@a:5432/botyard',
    'postgresql://u:a%2Cb@a/botyard?application_name=a,b',
    'postgres://u:p,q@a/botyard',
    'postgres://u:p@[::1]:5432/botyard?sslmode=disable',
    'postgres://a/b?sslmode=verify-full',
    'postgres://a/b?pgbouncer=true',
    'postgres://a/b?sslmode=verify-full&sslrootcert=system',
    'postgres://a/b?sslmode=verify-ca&sslrootcert=/ca.crt&sslcert=/c&sslkey=/k',
  ])('%s is taken', (url) => {
    expect(postgresUrl.safeParse(url).error).toBeUndefined();
  });
});
