import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isUnder, parseTarget } from '../../src/domain/request-target.ts';

test.each([
  ['/', ''],
  ['/api', '/api'],
  ['/API/Bots/', '/api/bots'],
  ['/api/bots?tenantId=x&y=%20/../', '/api/bots'],
  ['/api/a.b_c~d-e/...', '/api/a.b_c~d-e/...'],
  ['/?', ''],
])('%s is read as "%s"', (url, path) => expect(parseTarget(url)).toEqual({ path }));

test.each([
  '',
  '*',
  'api/bots',
  '//',
  '//api/bots',
  '/api//bots',
  '/api/bots//',
  '/.',
  '/..',
  '/./api/bots',
  '/x/../api/bots',
  '/api/health/..',
  '/api/health/../',
  '/api/health/%2e%2e/bots',
  '/api/health/..%2fbots',
  '/%61pi/bots',
  '/api%2fbots',
  '/api\\bots',
  '/api;x/bots',
  '/api/bots#x',
  '/api/bots?x#y',
  '/api/bots?x y',
  '/api/bots?\u00e9',
  '/api/b\u00f6ts',
  '/api/bots\0',
  '/api/bots\n',
  '/api/bots?x\n',
  'http://other.test/api/bots',
  'http:/api/bots',
  '@other.test/api',
])('%j is refused', (url) => expect(parseTarget(url)).toBeNull());

test('2 KiB is the most', () => {
  expect(parseTarget(`/${'a'.repeat(2047)}`)).not.toBeNull();
  expect(parseTarget(`/${'a'.repeat(2048)}`)).toBeNull();
  expect(parseTarget(`/a?${'b'.repeat(2046)}`)).toBeNull();
});

test('an accepted target means the same to the URL standard: nothing is left to normalise', () => {
  const piece = fc.constantFrom(
    '/',
    '.',
    '..',
    'api',
    'API',
    'bots',
    '%2e',
    '%',
    '\\',
    ';',
    '#',
    '?',
    '//',
    'ä',
    ' ',
    '@',
    ':',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const url = pieces.join('');
      const target = parseTarget(url);
      if (!target) return;
      const read = new URL(url, 'http://base.test');
      expect(read.host).toBe('base.test');
      expect(`${read.pathname}${read.search}`).toBe(url.replace(/^([^?]*)\?$/, '$1'));
      expect(read.pathname.toLowerCase().replace(/\/$/, '')).toBe(target.path);
    }),
    { numRuns: 5000 },
  );
});

test('a prefix ends at a segment', () => {
  expect(isUnder('/api/health', '/api/health')).toBe(true);
  expect(isUnder('/api/health/x', '/api/health')).toBe(true);
  expect(isUnder('/api/healthz', '/api/health')).toBe(false);
  expect(isUnder('/api', '/api/health')).toBe(false);
});
