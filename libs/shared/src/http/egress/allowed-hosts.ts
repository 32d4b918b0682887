import { z } from 'zod';

/** `docs.localhost:8080, wiki.internal`: hosts of the operator's own network, as written in an address. */
export const allowedHosts = z
  .string()
  .default('')
  .transform((list) =>
    list
      .split(',')
      .map((host) => host.trim().toLowerCase())
      .filter((host) => host !== ''),
  )
  .refine((hosts) => hosts.every(isHost), 'has something in it that is no host, or no host:port');

function isHost(host: string): boolean {
  if (!/^[a-z0-9.:[\]_-]+$/.test(host)) return false;
  const address = `http://${host}/`;
  return URL.canParse(address) && new URL(address).href === address;
}
