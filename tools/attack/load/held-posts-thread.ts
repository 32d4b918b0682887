import { request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { HeldPost, HeldPostsWork } from './held-posts.ts';
import { runInThread } from './thread.ts';

/** More than any body here has: the rest is never sent. */
const announcedBytes = 8_000_000;

await runInThread(async ({ url, posts, bytesPerSecond }: HeldPostsWork, signal) => {
  let begun = 0;
  const beganAt = performance.now();
  let sentBytes = 0;
  /** All posts are written in turn at the rate; the first round is as fast as it can be. */
  const isWithinRate = () => sentBytes < ((performance.now() - beganAt) / 1000) * bytesPerSecond;
  const hold = async (post: HeldPost) => {
    for (let round = 0; !signal.aborted; round += 1) {
      while (round > 0 && !isWithinRate() && !signal.aborted) await pause(50);
      if (signal.aborted) return;
      begun += 1;
      if (round > 0) sentBytes += post.bytes;
      await postOnce(url, post, signal);
    }
  };
  await Promise.all(posts.map(hold));
  return { begun };
});

/** Resolves once the server has answered or closed the connection. */
function postOnce(
  url: string,
  { type, begin, bytes, localAddress }: HeldPost,
  signal: AbortSignal,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const headers = { 'content-type': type, 'content-length': String(announcedBytes) };
  const post = request(url, { method: 'POST', headers, localAddress, signal, agent: false });
  post.once('response', () => post.destroy());
  post.once('error', () => resolve()).once('close', () => resolve());
  post.write(begin + 'a'.repeat(bytes - begin.length));
  return promise;
}
