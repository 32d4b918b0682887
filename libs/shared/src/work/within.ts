/**
 * Waits for the work and returns its result, or `undefined` if it takes longer; the work then continues.
 * @throws the work's error, if it fails in time.
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
