import { expect, test } from 'vitest';
import type { ProviderAnswer } from '../../../src/models/clients/provider-request.ts';
import { createAnswerReaders } from '../../../src/models/clients/read-answer.ts';

const megabyte = Buffer.alloc(1024 * 1024, ' ');

/** An answer of some MB that ends once it may. */
function longAnswer(
  megabytes: number,
  end: Promise<unknown>,
  onRead: () => void = () => undefined,
): ProviderAnswer {
  async function* body() {
    for (let sent = 0; sent < megabytes; sent += 1) yield megabyte;
    onRead();
    await end;
    yield Buffer.from('{}');
  }
  return { status: 200, headers: new Headers(), ok: true, body: body() } as unknown as ProviderAnswer;
}

test('a tenant whose servers answer with as much as they may takes no memory from the answers of others', async () => {
  const readerFor = createAnswerReaders();
  const hostile = readerFor({ tenantId: 'hostile' });
  const end = Promise.withResolvers<void>();
  const held = Array.from({ length: 3 }, () => {
    const isRead = Promise.withResolvers<void>();
    return {
      reading: hostile.read(longAnswer(3, end.promise, () => isRead.resolve())),
      isRead: isRead.promise,
    };
  });
  await Promise.all(held.map(({ isRead }) => isRead));
  await expect(hostile.read(longAnswer(3, Promise.resolve()))).resolves.toBeDefined();
  const fourth = Promise.withResolvers<void>();
  const more = hostile.read(longAnswer(3, end.promise, () => fourth.resolve()));
  await fourth.promise;
  await expect(hostile.read(longAnswer(3, Promise.resolve()))).rejects.toMatchObject({
    failure: 'unusable answer',
  });
  await expect(
    readerFor({ tenantId: 'other' }).read(longAnswer(3, Promise.resolve())),
  ).resolves.toBeDefined();
  end.resolve();
  await Promise.all([...held.map(({ reading }) => reading), more]);
  await expect(hostile.read(longAnswer(3, Promise.resolve()))).resolves.toBeDefined();
});
