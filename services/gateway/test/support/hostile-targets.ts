import { publicPrefixes, routers } from '@botyard/contracts/http/catalogue';
import fc from 'fast-check';

const gatedPaths = routers.flatMap(({ basePath, routes }) =>
  Object.values(routes).map(({ path }) => `${basePath}${path === '/' ? '' : path}`.replace(/:\w+/g, 'a1')),
);
const gated = fc.constantFrom(...new Set(gatedPaths));
const open = fc.constantFrom(...publicPrefixes, '/webhooks', '/webhooks/idp', '/', '/x');

/** Texts that one parser takes for a slash, a dot, or the end of the path, and another does not. */
const trick = fc.constantFrom(
  ...[
    '/',
    '//',
    '///',
    '/./',
    '/../',
    '/.',
    '/..',
    '/...',
    '..',
    '\\',
    '\\..\\',
    '%5c',
    '%2f',
    '%2F',
    '%252f',
  ],
  ...[
    '%2e',
    '%2e%2e',
    '%2E.',
    '/%2e%2e/',
    '/.%2e/',
    '/..;/',
    ';',
    ';x=y',
    '?',
    '?/',
    '#',
    '%23',
    '%3f',
    '%00',
  ],
  ...[
    '\t',
    '\x0b',
    '\x7f',
    '\u00a0',
    '\u00ff',
    '%c0%ae',
    '%c0%af',
    '%ef%bc%8f',
    '%u002f',
    '@',
    ':',
    '|',
    '~',
    '*',
  ],
  // Letters that become ASCII when they are folded, as UTF-8 and escaped: long s, the sign of Kelvin.
  ...[
    '\u00c5\u00bf',
    '%c5%bf',
    '\u00e2\u0084\u00aa',
    '%e2%84%aa',
    '\0',
    '%ef%bc%8e',
    '%e0%80%af',
    '%f0%80%80%af',
  ],
);
const word = fc.oneof(
  fc.constantFrom(
    'api',
    'API',
    'Api',
    'bots',
    'health',
    'otel',
    'webhooks',
    'x',
    '%61pi',
    'a%70i',
    '\u00e4pi',
  ),
  fc.string({ unit: 'binary-ascii', maxLength: 6 }).map((text) => text.replace(/[\r\n ]/g, '')),
);

/** Something put into a gated path at any place of it. */
const mutated = fc
  .tuple(
    gated,
    fc.array(fc.tuple(fc.nat({ max: 60 }), fc.oneof(trick, word)), { minLength: 1, maxLength: 3 }),
  )
  .map(([path, changes]) =>
    changes.reduce((text, [at, piece]) => {
      const place = at % (text.length + 1);
      return text.slice(0, place) + piece + text.slice(place);
    }, path),
  );

/** A gated path behind a public prefix and something that might lead out of it. */
const climbing = fc
  .tuple(open, fc.array(trick, { minLength: 1, maxLength: 4 }), gated)
  .map(([prefix, tricks, path]) => `${prefix}${tricks.join('')}${path}`);

/** The same letters in another spelling. */
const respelled = fc
  .tuple(gated, fc.array(fc.nat({ max: 3 }), { minLength: 8, maxLength: 8 }))
  .map(([path, how]) =>
    [...path]
      .map((letter, index) => {
        const way = how[index % how.length];
        if (way === 1) return letter.toUpperCase();
        return way === 2 ? `%${letter.charCodeAt(0).toString(16).padStart(2, '0')}` : letter;
      })
      .join(''),
  );

const absolute = fc
  .tuple(
    fc.constantFrom('http://', 'HTTP://', 'https://', '//', 'ftp://', ''),
    word,
    fc.oneof(gated, climbing),
  )
  .map(([scheme, host, path]) => `${scheme}${host}${path}`);

/** Unambiguous to every parser, and close to a public path. */
const lookalike = fc
  .tuple(
    fc.oneof(open, gated, fc.constant('/api')),
    fc.constantFrom('', '/', '-', '.', '~', '_', 'x', '/x', '/.x', '/-/', '/health', '/~'),
    fc.oneof(gated, open, fc.constant('')),
    fc.constantFrom('', '/', '?', '?x=/../api/health', '?tenantId=x'),
    fc.array(fc.nat({ max: 40 }), { maxLength: 6 }),
  )
  .map(([first, between, second, query, raised]) => {
    const letters = [...`${first}${between}${second}`.replaceAll('//', '/')];
    for (const at of raised) letters[at] = letters[at]?.toUpperCase() ?? '';
    return `${letters.join('')}${query}`;
  });

/** Longer than any reader has a reason to read. */
const overlong = fc
  .tuple(fc.oneof(gated, open), fc.constantFrom('/a', 'a', '/..', '?', '%2f'), fc.nat({ max: 4000 }))
  .map(([path, piece, times]) => `${path}${piece.repeat(times)}`);

/** Request targets that aren't paths (RFC 9112, 3.2.3 and 3.2.4). */
const other = fc.constantFrom('*', 'gateway:80', 'tenancy', '127.0.0.1:3001/api/bots', 'a@b:1', '?', '#', '');

const chaos = fc
  .array(fc.oneof(trick, word, gated, open), { minLength: 1, maxLength: 8 })
  .map((all) => all.join(''));

/** Targets of request lines that are meant to be read differently by two readers. */
export const hostileTarget: fc.Arbitrary<string> = fc.oneof(
  { weight: 40, arbitrary: mutated },
  { weight: 40, arbitrary: climbing },
  { weight: 20, arbitrary: respelled },
  { weight: 10, arbitrary: absolute },
  { weight: 20, arbitrary: chaos },
  { weight: 60, arbitrary: lookalike },
  { weight: 2, arbitrary: overlong },
  { weight: 1, arbitrary: other },
);
