import { readBounded } from '@botyard/shared/http/bounded-body';

/** Checks one service. Resolves with `ok` or a short reason, and never rejects. */
export type Probe = () => Promise<string>;

const maxAnswerBytes = 64 * 1024;

/** A service is ready as soon as one of its processes is. */
export function createServiceProbe(serviceUrls: readonly string[], timeoutMs: number): Probe {
  const probes = serviceUrls.map((url) => createReadinessProbe(url, timeoutMs));
  return async () => {
    const states = await Promise.all(probes.map((probe) => probe()));
    return states.find((state) => state === 'ok') ?? states[0] ?? 'unreachable';
  };
}

/** Requests a process's `/readyz`. */
function createReadinessProbe(serviceUrl: string, timeoutMs: number): Probe {
  return async () => {
    try {
      const response = await fetch(`${serviceUrl}/readyz`, {
        signal: AbortSignal.timeout(timeoutMs),
        redirect: 'manual',
      });
      await readBounded(response, maxAnswerBytes);
      return response.status === 200 ? 'ok' : 'not ready';
    } catch (error) {
      return (error as Error).name === 'TimeoutError' ? 'no answer in time' : 'unreachable';
    }
  };
}
