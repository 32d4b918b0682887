import { publicPrefixes, routers } from '@botyard/shared/contracts/catalogue';
import fc from 'fast-check';

const gatedPaths = routers.flatMap(({ basePath, routes }) =>
  Object.values(routes).map(({ path }) => `${basePath}${path === '/' ? '' : path}`.replace(/:\w+/g, 'a1')),
);
const gated = fc.constantFrom(...new Set(gatedPaths));
const open = fc.constantFrom(...publicPrefixes, '/webhooks', '/webhooks/idp', '/', '/x');

/** What some reader takes for a slash, a dot, or the end of the path, and another does not. */
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

const chaos = fc
  .array(fc.oneof(trick, word, gated, open), { minLength: 1, maxLength: 8 })
  .map((all) => all.join(''));

/** Targets of request lines that are meant to be read differently by two readers. */
export const hostileTarget: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: mutated },
  { weight: 4, arbitrary: climbing },
  { weight: 2, arbitrary: respelled },
  { weight: 1, arbitrary: absolute },
  { weight: 2, arbitrary: chaos },
);
