import { isLoopbackHost } from '../http/local-request.ts';

interface UpdateSettings {
  NODE_ENV: string;
  MESSENGER_UPDATES?: 'webhook' | 'polling' | undefined;
  MESSENGER_API_URL: string;
  WEBHOOK_BASE_URL: string;
}

/**
 * Whether updates are polled from the messenger. The real platform accepts only https webhooks; the sandbox accepts
 * http.
 */
export function asksForUpdates(config: UpdateSettings): boolean {
  if (config.MESSENGER_UPDATES) return config.MESSENGER_UPDATES === 'polling';
  const { protocol, host } = new URL(config.WEBHOOK_BASE_URL);
  const isReachable = protocol === 'https:' && !isLoopbackHost(host);
  return config.NODE_ENV === 'development' && isHttps(config.MESSENGER_API_URL) && !isReachable;
}

const isHttps = (address: string): boolean => new URL(address).protocol === 'https:';
