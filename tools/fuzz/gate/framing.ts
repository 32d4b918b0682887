import type { SeededRandom } from '../seeded-random.ts';

interface Framing {
  headers: string[];
  body: string;
  /** True if the server may legitimately wait for more bytes. */
  isSilent?: boolean;
}

/** A request that only a parser sees that ends the previous request too early. */
const hidden = 'GET /api/bots HTTP/1.1\r\nHost: gateway\r\nUser-Agent: hidden\r\n\r\n';
const chunked = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;

/** Bodies with a duplicate, wrong or missing end, which two parsers may split differently. */
const framings: readonly ((random: SeededRandom) => Framing)[] = [
  () => ({ headers: ['Content-Length: 6', 'Transfer-Encoding: chunked'], body: `0\r\n\r\n${hidden}` }),
  () => ({
    headers: ['Transfer-Encoding: chunked', `Content-Length: ${hidden.length}`],
    body: `0\r\n\r\n${hidden}`,
  }),
  () => ({ headers: ['Content-Length: 0', `Content-Length: ${hidden.length}`], body: hidden }),
  () => ({ headers: [`Content-Length: ${hidden.length}`, 'Content-Length: 0'], body: hidden }),
  () => ({ headers: [`Content-Length: 0, ${hidden.length}`], body: hidden }),
  () => ({ headers: ['Content-Length: 0'], body: hidden }),
  () => ({ headers: [`Content-Length: ${hidden.length}`], body: hidden }),
  (random) => ({
    headers: [
      `Content-Length: ${random.pick(['-1', '+5', '0x10', '1e3', '5 5', '', '99999999999999999999', '\t3', '03'])}`,
    ],
    body: hidden,
    isSilent: true,
  }),
  (random) => ({
    headers: [
      `Transfer-Encoding: ${random.pick(['xchunked', 'chunked, identity', 'identity', 'gzip', 'gzip, chunked', 'chunked, chunked', 'Chunked', ' chunked', '\x0bchunked', 'chunked\x00', '"chunked"', ''])}`,
    ],
    body: `0\r\n\r\n${hidden}`,
    isSilent: true,
  }),
  () => ({
    headers: ['Transfer-Encoding: chunked', 'Transfer-Encoding: identity'],
    body: `0\r\n\r\n${hidden}`,
  }),
  () => ({ headers: ['Transfer-Encoding : chunked'], body: `0\r\n\r\n${hidden}` }),
  () => ({ headers: ['X: y\nTransfer-Encoding: chunked', 'Content-Length: 5'], body: `0\r\n\r\n${hidden}` }),
  () => ({ headers: ['Transfer-Encoding: chunked'], body: chunked(hidden) }),
  () => ({ headers: ['Transfer-Encoding: chunked'], body: `${chunked('{}')}${hidden}` }),
  (random) => ({
    headers: ['Transfer-Encoding: chunked'],
    body: `${random.pick(['-1', '0x2', 'fffffffffffffffff', 'g', ' 2', '2 ', '2;a="\r\n"', '2\n{}'])}\r\n{}\r\n0\r\n\r\n${hidden}`,
    isSilent: true,
  }),
  () => ({
    headers: ['Transfer-Encoding: chunked', 'Trailer: x-botyard-identity'],
    body: '2\r\n{}\r\n0\r\nx-botyard-identity: forged\r\n\r\n',
  }),
  () => ({ headers: ['Expect: 100-continue', 'Content-Length: 2'], body: '{}' }),
  () => ({ headers: ['Expect: nothing', 'Content-Length: 2'], body: '{}' }),
  () => ({
    headers: ['Connection: upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=='],
    body: '',
  }),
  () => ({
    headers: ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__'],
    body: hidden,
  }),
];

export const hostileFraming = (random: SeededRandom): Framing => random.pick(framings)(random);
