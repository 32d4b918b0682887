import { latestSecond } from '../../domain/fields.ts';

/** The platform's seconds, as text or number. Without any, the time of the reading. */
export function momentOf(seconds: unknown, now: Date): string {
  const counted = Number(seconds);
  const isUsable = (typeof seconds === 'string' || typeof seconds === 'number') && counted > 0;
  return (isUsable ? new Date(Math.min(counted, latestSecond) * 1000) : now).toISOString();
}
