import { BlockList, isIP } from 'node:net';

/** IPv4 addresses that are not public on the internet (IANA special-purpose registry), and multicast. */
const specialIpv4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
] as const;

/**
 * Public IPv6, and its ranges that aren't plain public addresses: protocols, documentation, or an embedded IPv4
 * address (6to4).
 */
const globalIpv6 = '2000::/3';
const specialIpv6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'] as const;

/** NAT64: the IPv4 address in the last 32 bits has to be public. */
const nat64 = '64:ff9b::';
const nat64Bits = 96;

const addressesIn = (ranges: readonly string[], family: 'ipv4' | 'ipv6'): BlockList => {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', bits] = range.split('/');
    list.addSubnet(network, Number(bits), family);
  }
  return list;
};

const ipv4ThroughNat64 = (range: string): string => {
  const [network, bits] = range.split('/');
  return `${nat64}${network}/${nat64Bits + Number(bits)}`;
};

const refusedIpv4 = addressesIn(specialIpv4, 'ipv4');
const allowedIpv6 = addressesIn([globalIpv6, `${nat64}/${nat64Bits}`], 'ipv6');
const refusedIpv6 = addressesIn([...specialIpv6, ...specialIpv4.map(ipv4ThroughNat64)], 'ipv6');

/**
 * Whether an address, in the form of a socket or a resolver, is on the public internet. Everything else is not:
 * private, loopback, link-local, shared (CGNAT), multicast, unspecified, IPv4 mapped into IPv6, 6to4, Teredo, and
 * text that is not an address.
 */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !refusedIpv4.check(address, 'ipv4');
    case 6:
      // An address with a zone is link-local.
      return (
        !address.includes('%') && allowedIpv6.check(address, 'ipv6') && !refusedIpv6.check(address, 'ipv6')
      );
    default:
      return false;
  }
}
