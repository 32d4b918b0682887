/**
 * Waits for the work: its result, or `undefined` when it takes longer; it goes on then. @throws what it fails with in
 * time.
 */
export async function within<Result>(maxMs: number, work: Promise<Result>): Promise<Result | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, maxMs, undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
