import { describe, expect, test } from 'vitest';
import { isPublicAddress } from '../../../src/http/egress/public-address.ts';

describe('S-05: no public address', () => {
  test.each([
    ...['0.0.0.0', '0.1.2.3', '10.0.0.1', '100.64.0.1', '100.127.255.255', '127.0.0.1', '127.255.255.254'],
    ...['169.254.169.254', '172.16.0.1', '172.31.255.255', '192.0.0.170', '192.0.2.1', '192.88.99.1'],
    ...['192.168.0.1', '198.18.0.1', '198.19.255.255', '198.51.100.7', '203.0.113.9', '224.0.0.1'],
    ...['239.255.255.250', '240.0.0.1', '255.255.255.255'],
  ])('IPv4 %s', (address) => expect(isPublicAddress(address)).toBe(false));

  test.each([
    ...[
      '::',
      '::1',
      '::127.0.0.1',
      '::8.8.8.8',
      'fe80::1',
      'fe80::1%eth0',
      '2606:4700::1111%eth0',
      'fec0::1',
    ],
    ...['fc00::1', 'fd00:ec2::254', 'ff02::1', '100::1', '2001::1', '2001:0:7f00:1::', '2001:db8::1'],
    ...['3fff::1', '5f00::1', '2002:7f00:1::', '2002:808:808::', '2620:4f:8000::1', '4000::1'],
  ])('IPv6 %s', (address) => expect(isPublicAddress(address)).toBe(false));

  test.each([
    ...['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:8.8.8.8', '::ffff:0:127.0.0.1'],
    ...['64:ff9b::127.0.0.1', '64:ff9b::10.1.2.3', '64:ff9b::a9fe:a9fe', '64:ff9b::', '64:ff9b:1::8.8.8.8'],
  ])('IPv4 within IPv6 %s', (address) => expect(isPublicAddress(address)).toBe(false));

  test.each(['', 'localhost', '127.1', '0x7f.1', '2130706433', '017700000001', '8.8.8.8 ', '[::1]', '8.8.8'])(
    'text that is not an address: %j',
    (address) => expect(isPublicAddress(address)).toBe(false),
  );
});

test.each([
  ...['8.8.8.8', '1.1.1.1', '100.63.255.255', '100.128.0.1', '172.15.0.1', '172.32.0.1', '192.167.1.1'],
  ...['223.255.255.255', '2606:4700:4700::1111', '2a00:1450:4001::200e', '2400::1', '64:ff9b::8.8.8.8'],
])('%s is public', (address) => expect(isPublicAddress(address)).toBe(true));
