import { expect, test } from 'vitest';
import { drawBars } from '../report/bars.ts';
import { bucketOf, type CpuProfile, serviceOf, sharesOf } from '../report/profile.ts';

const frame = (functionName: string, url = '') => ({ functionName, url });
const node = (id: number, functionName: string, url = '') => ({ id, callFrame: frame(functionName, url) });

const profile: CpuProfile = {
  nodes: [
    node(1, '(root)'),
    node(2, '(idle)'),
    node(3, '', 'file:///botyard/services/gateway/src/main.ts'),
    node(4, 'log', 'file:///botyard/libs/shared/src/log/log.ts'),
    node(5, 'parse', 'file:///botyard/node_modules/a/node_modules/@b/c/index.js'),
    node(6, 'rare', 'node:net'),
    node(7, 'compile', 'node:internal/modules/esm/utils'),
  ],
  samples: [4, 7, 2, 4, 4, 5, 6],
  timeDeltas: [500, 500, 900, 70, 20, 9.5, 0.5],
};

test('shares are of the working time after loading, the largest first, and small ones are combined', () => {
  const shares = sharesOf(profile);
  expect(shares.map(({ bucket }) => bucket)).toEqual([
    'libs/shared/log',
    'package @b/c',
    'everything below 1.5 %',
  ]);
  expect(shares.map(({ share }) => Math.round(share * 1000))).toEqual([900, 95, 5]);
});

test('the service of a profile follows from its first script', () => {
  expect(serviceOf(profile)).toBe('gateway');
  expect(serviceOf({ ...profile, nodes: profile.nodes.slice(0, 2) })).toBeUndefined();
});

test.each([
  ['(garbage collector)', '', 'collector of garbage'],
  ['writev', '', 'writes to sockets and files'],
  ['sign', '', 'functions of C++'],
  ['run', 'file:///b/services/agents/src/turns/domain/run-turn.ts', 'agents/turns'],
  ['app', 'file:///b/services/agents/src/app.ts', 'agents'],
  ['onwrite', 'node:internal/streams/writable', 'Node: streams, events'],
  ['request', 'node:_http_client', 'Node: HTTP'],
])('%s of %s is %s', (functionName, url, bucket) => {
  expect(bucketOf(frame(functionName, url))).toBe(bucket);
});

test('each share has a bar, and the texts are escaped', () => {
  const svg = drawBars({ title: 'A & b', subtitle: 'of <all>', bars: [{ name: 'x', share: 0.5 }] });
  expect(svg).toContain('50.0 %');
  expect(svg).toContain('A &amp; b');
  expect(svg).not.toContain('<all>');
});
