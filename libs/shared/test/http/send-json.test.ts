import { createServer, type Server } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { sendList } from '../../src/http/send-json.ts';

let server: Server | undefined;
afterEach(() => server?.close());

/** The answer with its bytes as they were sent: this client neither asks for a compression nor undoes one by itself. */
async function listFor(acceptEncoding: string | undefined, items: unknown) {
  server = createServer((req, res) => void sendList(req, res, 200, items));
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const headers = { 'accept-encoding': acceptEncoding ?? 'identity' };
  const response = await fetch(`http://127.0.0.1:${port}/`, { headers });
  return {
    encoding: response.headers.get('content-encoding'),
    bytes: Number(response.headers.get('content-length')),
    vary: response.headers.get('vary'),
    items: await response.json(),
  };
}

const many = Array.from({ length: 100 }, (_, at) => ({ chatId: `chat ${at}`, title: 'Ada writes' }));

test.each(['gzip', 'gzip, deflate, br, zstd', 'br, gzip;q=0.5'])(
  'a long list is compressed for a client that accepts it: %s',
  async (acceptEncoding) => {
    const answer = await listFor(acceptEncoding, many);
    expect(answer).toMatchObject({ encoding: 'gzip', vary: 'Accept-Encoding', items: many });
    expect(answer.bytes).toBeLessThan(JSON.stringify(many).length / 4);
  },
);

test.each([undefined, 'br', 'gzip;q=0', 'gzip;q=0.0, br', 'xgzip'])(
  'a client that does not accept it gets the list as it is: %s',
  async (acceptEncoding) => {
    const answer = await listFor(acceptEncoding, many);
    expect(answer).toMatchObject({ encoding: null, vary: 'Accept-Encoding', items: many });
    expect(answer.bytes).toBe(JSON.stringify(many).length);
  },
);

test('a short list is sent as it is', async () => {
  expect(await listFor('gzip', [{ chatId: 'one' }])).toMatchObject({
    encoding: null,
    items: [{ chatId: 'one' }],
  });
});
