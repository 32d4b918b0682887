import type { Sent } from './send/send.ts';

/** The fault of an answer; `undefined` without one. */
export function faultOf({ delivery, status, text }: Sent): { promise: string; what: string } | undefined {
  if (status === 0)
    return delivery.isCutOff ? undefined : { promise: 'every delivery has an answer', what: text };
  if (status >= 500) return { promise: 'no 5xx', what: `${status} ${text.slice(0, 200)}` };
  const isTaken = status < 300;
  if (isTaken && delivery.secret === 'wrong')
    return { promise: 'nothing is taken without the right secret', what: `${status} ${text.slice(0, 200)}` };
  return undefined;
}
