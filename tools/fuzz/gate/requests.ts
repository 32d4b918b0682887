import fc from 'fast-check';
import { hostileTarget } from '../../../services/gateway/test/support/hostile-targets.ts';
import { SeededRandom } from '../seeded-random.ts';
import { forgedHeaders } from './forged-headers.ts';
import { hostileFraming } from './framing.ts';
import { agentOf, type RawRequest } from './raw-request.ts';

const methods = ['HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'PURGE', 'QUERY'];
const oddMethods = [
  'get',
  'Get',
  'gEt',
  'CONNECT',
  'GETS',
  'G E T',
  'GET\t',
  '\0GET',
  '\r\nGET',
  'P\u00d6ST',
  'PRI',
  '',
];
const versions = [
  ' HTTP/1.0',
  ' HTTP/0.9',
  ' HTTP/2.0',
  ' HTTP/1.2',
  ' HTTP/1.1 ',
  ' http/1.1',
  ' HTTP/1,1',
  '',
];
const hosts = [
  ['Host: gateway', 'Host: tenancy'],
  ['Host: tenancy@gateway'],
  ['Host: 127.0.0.1:1/api/bots?'],
  ['Host: gateway, tenancy'],
  ['Host:'],
  [],
];
/** Request targets that the HTTP parser accepts. Others end the connection. */
const isTakenByParser = /^(?:\/|\*$|https?:\/\/[\w.-]+(?:[/?]|$))[\x21-\x7e\x80-\xff]*$/i;

/** Draws the requests of a seed, numbered from `first`. All `tokens` are invalid. */
export function drawRequests(
  seed: number,
  { first, count, tokens }: { first: number; count: number; tokens: readonly string[] },
): RawRequest[] {
  const random = new SeededRandom(seed);
  const targets = fc.sample(hostileTarget, { seed: random.below(2 ** 31), numRuns: count });
  return targets.map((drawn, index) => {
    const target = isTakenByParser.test(drawn) || random.chance(0.2) ? drawn : mended(drawn);
    return dress(random, { target, number: first + index, tokens });
  });
}

/** Makes a target pass the parser, so that it reaches our code. */
const mended = (target: string): string => `/${target.replace(/[^\x21-\x7e\x80-\xff]/g, '')}`;

interface Undressed {
  target: string;
  number: number;
  tokens: readonly string[];
}

/** Adds a method, headers and a body. Most requests are plain GETs, because the target matters most. */
function dress(random: SeededRandom, { target, number, tokens }: Undressed): RawRequest {
  const agent = `User-Agent: ${agentOf(number)}`;
  const plain: RawRequest = {
    number,
    target,
    method: 'GET',
    version: ' HTTP/1.1',
    body: '',
    headers: ['Host: gateway', agent],
    framing: isTakenByParser.test(target) ? 'plain' : 'alone',
  };
  const add = (...headers: string[]): RawRequest => ({ ...plain, headers: [...plain.headers, ...headers] });
  const alone = (change: Partial<RawRequest>): RawRequest => ({ ...plain, framing: 'alone', ...change });
  return random.weighted<() => RawRequest>([
    [76, () => plain],
    [6, () => add(`Authorization: ${random.pick(tokens)}`)],
    [
      9,
      () => {
        const { lines, isOdd } = forgedHeaders(random);
        return { ...add(...lines), ...(isOdd ? { framing: 'alone' } : {}) };
      },
    ],
    [5, () => ({ ...plain, method: random.pick(methods) })],
    [1, () => alone({ method: random.pick(oddMethods) })],
    [1, () => alone({ version: random.pick(versions) })],
    [0.5, () => alone({ headers: [...random.pick(hosts), agent] })],
    [
      1.5,
      () => {
        const { headers, body, isSilent } = hostileFraming(random);
        const method = random.pick(['POST', 'POST', 'PUT', 'GET', 'DELETE', 'OPTIONS']);
        const framed = { method, body, headers: [...plain.headers, ...headers] };
        return alone({ ...framed, framing: isSilent ? 'silent' : 'alone' });
      },
    ],
  ])();
}
