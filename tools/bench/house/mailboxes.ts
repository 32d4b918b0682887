/** Makes a tenant with a bot that has a mailbox whose mail is signed. */
export async function connectMailbox(
  gatewayUrl: string,
): Promise<{ botId: string; address: string; key: string }> {
  const call = async (path: string, body: unknown): Promise<Record<string, string>> => {
    const answer = await fetch(`${gatewayUrl}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`POST ${path} answered ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Record<string, string>;
  };
  const { tenantId } = await call('/api/bots/tenants', { name: 'Mail' });
  const { botId = '' } = await call(`/api/bots/${tenantId}/bots`, { name: 'Mail' });
  const [address, key] = ['support@bots.bench.example', 'bench-signing-key'];
  await call(`/api/bots/${tenantId}/${botId}/integrations`, {
    integrationType: 'email',
    credentials: { address },
    settings: { email: { webhookSigningKey: key } },
  });
  return { botId, address, key };
}
