import { type LoadThread, startThread } from './thread.ts';

export interface HeldPost {
  type: string;
  /** The body's beginning; junk follows. */
  begin: string;
  bytes: number;
  localAddress: string;
}

export interface HeldPostsWork {
  url: string;
  posts: readonly HeldPost[];
  bytesPerSecond: number;
}

/** Keeps posts open whose bodies never end, and begins each again that is ended, at a steady rate of bytes. */
export function holdPosts(work: HeldPostsWork): LoadThread<{ begun: number }> {
  return startThread(new URL('./held-posts-thread.ts', import.meta.url), work);
}
