import { createLocalRequestFault } from '@botyard/shared/http/local-request';
import { isProxyHeader, proxyHeaders } from '@botyard/shared/http/proxy-headers';
import { expect, test } from 'vitest';

const isLocal = (...headers: string[]) =>
  createLocalRequestFault()({
    rawHeaders: ['Host', 'localhost:3001', ...headers.flatMap((name) => [name, 'x'])],
    httpVersion: '1.1',
    socket: { remoteAddress: '127.0.0.1' },
  }) === null;

test('every header of the list ends the rights of development mode for its request', () => {
  const names = proxyHeaders.flatMap(({ headers }) => headers.map((name) => name.replace('*', 'Anything')));
  expect(names.filter((name) => isLocal(name))).toEqual([]);
  for (const { source } of proxyHeaders) expect(new URL(source).protocol).toBe('https:');
});

test.each([
  ['nginx', 'X-Real-IP'],
  ['HAProxy', 'X-Client-IP'],
  ['Akamai', 'True-Client-IP'],
  ['cloudflared', 'Cf-Connecting-Ip', 'Cf-Ray', 'Cdn-Loop'],
  ['Fly', 'Fly-Client-IP', 'Fly-Request-Id'],
  ['Envoy', 'X-Envoy-External-Address', 'X-Envoy-Expected-Rq-Timeout-Ms'],
  ['ingress-nginx', 'X-Original-Forwarded-For', 'X-Original-URI', 'X-Scheme'],
  ['Heroku', 'X-Request-Start', 'Connect-Time'],
  ['Vercel', 'X-Vercel-Id', 'X-Vercel-IP-Country'],
  ['Netlify', 'X-Nf-Client-Connection-Ip'],
  ['AWS', 'X-Amzn-Trace-Id', 'X-Amz-Cf-Id', 'CloudFront-Viewer-Address'],
  ['Google', 'X-Cloud-Trace-Context', 'X-Appengine-User-IP', 'X-Goog-Authenticated-User-Email'],
  ['Azure', 'X-Azure-ClientIP', 'X-FD-HealthProbe', 'X-ARR-LOG-ID', 'Client-IP'],
  ['Fastly', 'Fastly-Client-IP', 'X-Varnish'],
  ['Tailscale', 'Tailscale-User-Login'],
  ['dev tunnels', 'X-Tunnel-Authorization'],
  ['RFC 7239 and 9110', 'Forwarded', 'Via', 'X-Forwarded-For', 'X-Forwarded-Server'],
])('each header of %s alone is enough', (_by, ...headers) => {
  expect(headers.filter((name) => isLocal(name))).toEqual([]);
});

test('what curl, browsers, fetch and the console send is no header of a proxy', () => {
  const usual = [
    ...[
      'host',
      'user-agent',
      'accept',
      'accept-encoding',
      'accept-language',
      'content-type',
      'content-length',
    ],
    ...['connection', 'cache-control', 'pragma', 'referer', 'dnt', 'priority', 'cookie', 'transfer-encoding'],
    ...['sec-fetch-mode', 'sec-fetch-dest', 'sec-fetch-user', 'sec-ch-ua', 'sec-ch-ua-platform', 'origin'],
    ...[
      'upgrade-insecure-requests',
      'last-event-id',
      'x-tenant-id',
      'x-request-id',
      'traceparent',
      'tracestate',
    ],
    ...[
      'baggage',
      'expect',
      'te',
      'range',
      'if-none-match',
      'authorization',
      'x-requested-with',
      'b3',
      'x-b3-traceid',
    ],
  ];
  expect(usual.filter(isProxyHeader)).toEqual([]);
});
