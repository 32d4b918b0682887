import { expect, test } from 'vitest';
import { serverAddress } from '../../../src/mcp/domain/address.ts';

const refused = [
  'http://mcp.example.com/',
  'https://mcp.example.com:8443/',
  'https://name:password@mcp.example.com/',
  'https://mcp.example.com/#part',
  'https://127.0.0.1/',
  'https://0x7f.1/',
  'https://2130706433/',
  'https://[::1]/',
  'https://[::ffff:169.254.169.254]/',
  'https://169.254.169.254/latest/meta-data',
  'https://10.0.0.1/',
  'https://localhost/',
  'https://mcp.localhost/',
  'no address',
];

test.each(refused)('a server can not have the address %s', (address) => {
  expect(() => serverAddress(address, [])).toThrow(expect.objectContaining({ status: 422 }));
});

test('an address is kept in its normal form', () => {
  const { href, origin } = serverAddress('https://MCP.Example.com:443/a/../mcp?x=1', []);
  expect({ href, origin }).toEqual({
    href: 'https://mcp.example.com/mcp?x=1',
    origin: 'https://mcp.example.com',
  });
});

test('a host that the operator allows may be private, use plain http and any port', () => {
  expect(serverAddress('http://127.0.0.1:4000/mcp', ['127.0.0.1:4000']).origin).toBe('http://127.0.0.1:4000');
  expect(() => serverAddress('http://127.0.0.1:4001/mcp', ['127.0.0.1:4000'])).toThrow(/https/);
  expect(() => serverAddress('http://a:b@127.0.0.1:4000/', ['127.0.0.1:4000'])).toThrow(/password/);
});
