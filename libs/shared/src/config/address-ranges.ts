import { isIP } from 'node:net';
import { z } from 'zod';

const namedRanges = ['loopback', 'linklocal', 'uniquelocal'];

/** `a, b` as a list without empty entries. */
export const commaList = z.string().transform((text) =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== ''),
);

/** Addresses and ranges as `proxy-addr` takes them; this machine by default. */
export const addressRanges = commaList
  .default(['loopback'])
  .refine((entries) => entries.every(isRange), 'must be addresses or ranges, separated by commas');

function isRange(entry: string): boolean {
  const [address = '', bits, ...rest] = entry.split('/');
  if (bits === undefined) return namedRanges.includes(address) || isIP(address) !== 0;
  const most = isIP(address) === 4 ? 32 : 128;
  return isIP(address) !== 0 && /^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= most && rest.length === 0;
}
