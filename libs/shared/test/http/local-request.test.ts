import { createLocalRequestFault, type LocalRequestRules } from '@botyard/shared/http/local-request';
import { describe, expect, test } from 'vitest';

const faultOf = createLocalRequestFault();

interface Attempt {
  headers?: readonly (readonly [string, string])[];
  host?: string | readonly string[];
  peer?: string | undefined;
  httpVersion?: string;
}

function attempt({ host = 'localhost:3001', headers = [], ...rest }: Attempt, rules?: LocalRequestRules) {
  const hosts = [host].flat().map((value) => ['Host', value] as const);
  const judge = rules ? createLocalRequestFault(rules) : faultOf;
  return judge({
    rawHeaders: [...hosts, ...headers].flat(),
    httpVersion: rest.httpVersion ?? '1.1',
    socket: { remoteAddress: 'peer' in rest ? rest.peer : '127.0.0.1' },
  });
}

describe('G-13: the Host header', () => {
  test.each([
    'localhost',
    'localhost:3001',
    'LocalHost:3001',
    'console.localhost',
    'a.b-c.localhost:65535',
    '127.0.0.1',
    '127.0.0.1:80',
    '127.255.255.254:3001',
    '[::1]',
    '[::1]:3001',
  ])('%s is this machine', (host) => expect(attempt({ host })).toBeNull());

  test.each([
    '',
    ' ',
    'evil.test',
    'evil.test:3001',
    'localhost.evil.test',
    'evil-localhost',
    'evillocalhost',
    'localhost.',
    'localhost.:3001',
    '.localhost',
    'a..localhost',
    '-a.localhost',
    'a_b.localhost',
    'localhost:',
    'localhost:65536',
    'localhost:123456',
    'localhost:+80',
    'localhost:80:80',
    'localhost, evil.test',
    'localhost/evil',
    'localhost#evil.test',
    'user@localhost',
    'localhost@evil.test',
    'user:pass@127.0.0.1',
    'http://localhost',
    'localhost%00.evil.test',
    'loca\u017fhost',
    '\uff4cocalhost',
    '0.0.0.0',
    '0',
    '[::]',
    '126.255.255.255',
    '128.0.0.1',
    '127.1',
    '127.0.0.01',
    '127.0.0.256',
    '127.0.0.1.',
    '127.0.0.1.nip.io',
    '0127.0.0.1',
    '0x7f.0.0.1',
    '0x7f000001',
    '2130706433',
    '::1',
    '[::1',
    '[::1]x',
    '[::1%lo]',
    '[::2]',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
    '[::127.0.0.1]',
    '10.0.0.1',
    '192.168.1.5:3001',
    `${'a.'.repeat(5000)}localhost`,
  ])('%j is not', (host) => expect(attempt({ host })).toContain('Host'));

  test('is required, exactly once', () => {
    expect(attempt({ host: [] })).toContain('Host');
    expect(attempt({ host: ['localhost', 'localhost'] })).toContain('Host');
    expect(attempt({ host: ['localhost', 'evil.test'] })).toContain('Host');
    expect(attempt({ headers: [['hOST', 'evil.test']] })).toContain('Host');
  });

  test('may be a further one where the rules name it, and only as they name it', () => {
    const rules = { hosts: ['sandbox:3002'] };
    expect(attempt({ host: 'sandbox:3002' }, rules)).toBeNull();
    for (const host of ['sandbox', 'sandbox:3003', 'a.sandbox:3002', 'sandbox.:3002'])
      expect(attempt({ host }, rules), host).toContain('Host');
  });
});

test.each([
  'Forwarded',
  'X-Forwarded-For',
  'x-forwarded-host',
  'X-FORWARDED-PROTO',
  'X-Forwarded-Anything',
  'Via',
])('a request that came through a proxy is refused: %s', (name) => {
  for (const value of ['127.0.0.1', 'for=127.0.0.1', ''])
    expect(attempt({ headers: [[name, value]] })).toContain(`added ${name.toLowerCase()}`);
});

test("a request of HTTP/1.0 is refused: proxies that don't identify themselves use it", () => {
  expect(attempt({ httpVersion: '1.0' })).toContain('HTTP/1.1');
});

describe('the page that asks', () => {
  test.each([
    ['localhost:3001', 'http://localhost:3001'],
    ['localhost', 'http://localhost'],
    ['localhost:80', 'http://localhost'],
    ['localhost', 'http://localhost:80'],
    ['[::1]:3001', 'http://[::1]:3001'],
    ['127.0.0.1:3001', 'http://127.0.0.1:3001'],
  ])('%s lets in %s', (host, origin) => expect(attempt({ host, headers: [['Origin', origin]] })).toBeNull());

  test.each([
    'null',
    '',
    'http://evil.test',
    'http://evil.test:3001',
    'https://localhost:3001',
    'http://localhost',
    'http://localhost:3002',
    'http://localhost:30010',
    'http://127.0.0.1:3001',
    'http://localhost:3001/',
    'http://localhost:3001, http://evil.test',
    'http://user@localhost:3001',
    'file://',
    'chrome-extension://localhost:3001',
  ])('localhost:3001 refuses %j', (origin) =>
    expect(attempt({ headers: [['Origin', origin]] })).toContain('origin'),
  );

  test.each(['same-origin', 'none'])('may be of the site %s', (site) =>
    expect(attempt({ headers: [['Sec-Fetch-Site', site]] })).toBeNull(),
  );

  test.each(['cross-site', 'same-site', '', 'Same-Origin', 'same-origin, none', 'new-word'])(
    'may not be of the site %j',
    (site) => expect(attempt({ headers: [['Sec-Fetch-Site', site]] })).toContain('site'),
  );

  test('may send its origin and its site only once', () => {
    const origin = ['Origin', 'http://localhost:3001'] as const;
    const site = ['Sec-Fetch-Site', 'same-origin'] as const;
    expect(attempt({ headers: [origin, site] })).toBeNull();
    expect(attempt({ headers: [origin, origin] })).toContain('origin');
    expect(attempt({ headers: [site, site] })).toContain('site');
    expect(attempt({ headers: [origin, ['Sec-Fetch-Site', 'cross-site']] })).toContain('site');
  });
});

describe('the connection', () => {
  test.each(['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1', '::FFFF:127.0.0.1'])(
    'may come from %s',
    (peer) => expect(attempt({ peer })).toBeNull(),
  );
  test.each(['192.168.1.5', '10.0.0.1', '::ffff:10.0.0.1', 'fe80::1', '::', '0.0.0.0', '', undefined])(
    'may not come from %s',
    (peer) => expect(attempt({ peer })).toContain('machine'),
  );
  test('may come from addresses that the operator names, and the rest of the rule still applies', () => {
    const rules = { isPeer: (address: string) => address === '172.18.0.1' };
    expect(attempt({ peer: '172.18.0.1' }, rules)).toBeNull();
    expect(attempt({ peer: '172.18.0.1', host: 'evil.test' }, rules)).toContain('Host');
    expect(attempt({ peer: '127.0.0.1' }, rules)).toContain('machine');
  });
});
