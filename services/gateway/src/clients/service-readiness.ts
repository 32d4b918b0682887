/** Asks one service; `ok` or a short reason. Never rejects. */
export type Probe = () => Promise<string>;

/** Asks a service's `/readyz`. */
export function createReadinessProbe(serviceUrl: string, timeoutMs: number): Probe {
  return async () => {
    try {
      const response = await fetch(`${serviceUrl}/readyz`, {
        signal: AbortSignal.timeout(timeoutMs),
        redirect: 'manual',
      });
      await response.arrayBuffer();
      return response.status === 200 ? 'ok' : 'not ready';
    } catch (error) {
      return (error as Error).name === 'TimeoutError' ? 'no answer in time' : 'unreachable';
    }
  };
}
