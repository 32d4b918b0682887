import type { WebhookTarget } from '../../load/messages.ts';

/** A workflow with its credentials in the format of n8n's import commands, and its address. */
export interface Imported {
  workflow: { id: string };
  credentials: object[];
  target: WebhookTarget;
}

const secretHeader = 'x-telegram-bot-api-secret-token';

const chain = (names: readonly string[]) =>
  Object.fromEntries(
    names
      .slice(0, -1)
      .map((name, index) => [name, { main: [[{ node: names[index + 1], type: 'main', index: 0 }]] }]),
  );

interface WorkflowNode {
  name: string;
  [setting: string]: unknown;
}

const workflowOf = (id: string, nodes: readonly WorkflowNode[]) => ({
  id,
  name: id,
  active: false,
  nodes: nodes.map((node, index) => ({ ...node, position: [index * 220, 0] })),
  connections: chain(nodes.map(({ name }) => name)),
  settings: { executionOrder: 'v1' },
});

/** A workflow that accepts an update with the right header, responds immediately and stores the execution. */
export function webhookWorkflow(secret: string): Imported {
  const credential = { id: 'benchHeader', name: 'Bench header' };
  return {
    workflow: workflowOf('benchAdmission', [
      {
        id: 'bench-webhook',
        name: 'Webhook',
        type: 'n8n-nodes-base.webhook',
        typeVersion: 2,
        webhookId: 'bench',
        parameters: {
          httpMethod: 'POST',
          path: 'bench',
          authentication: 'headerAuth',
          responseMode: 'onReceived',
          options: {},
        },
        credentials: { httpHeaderAuth: credential },
      },
      { id: 'bench-nothing', name: 'Nothing', type: 'n8n-nodes-base.noOp', typeVersion: 1, parameters: {} },
    ]),
    credentials: [{ ...credential, type: 'httpHeaderAuth', data: { name: secretHeader, value: secret } }],
    target: { path: '/webhook/bench', headers: { [secretHeader]: secret } },
  };
}

/** A bot workflow: it sends a person's text to the model, and the model's answer to the chat. */
export function botWorkflow({
  botToken,
  messengerUrl,
  modelUrl,
}: {
  botToken: string;
  messengerUrl: string;
  modelUrl: string;
}): Imported {
  const credential = { id: 'benchTelegram', name: 'Bench Telegram' };
  const credentials = { telegramApi: credential };
  const trigger = 'bench-trigger';
  const question = `={{ JSON.stringify({ model: 'sandbox', messages: [{ role: 'user', content: $json.message.text }] }) }}`;
  return {
    workflow: workflowOf('benchBot', [
      {
        id: trigger,
        name: 'Telegram Trigger',
        type: 'n8n-nodes-base.telegramTrigger',
        typeVersion: 1.2,
        webhookId: 'bench-bot',
        parameters: { updates: ['message'], additionalFields: {} },
        credentials,
      },
      {
        id: 'bench-model',
        name: 'Model',
        type: 'n8n-nodes-base.httpRequest',
        typeVersion: 4.2,
        parameters: {
          method: 'POST',
          url: `${modelUrl}/chat/completions`,
          sendBody: true,
          specifyBody: 'json',
          jsonBody: question,
          options: {},
        },
      },
      {
        id: 'bench-answer',
        name: 'Answer',
        type: 'n8n-nodes-base.telegram',
        typeVersion: 1.2,
        parameters: {
          resource: 'message',
          operation: 'sendMessage',
          chatId: `={{ $('Telegram Trigger').item.json.message.chat.id }}`,
          text: '={{ $json.choices[0].message.content }}',
          additionalFields: { appendAttribution: false, parse_mode: 'HTML' },
        },
        credentials,
      },
    ]),
    credentials: [
      { ...credential, type: 'telegramApi', data: { accessToken: botToken, baseUrl: messengerUrl } },
    ],
    // n8n derives the secret from the IDs of the workflow and the node.
    target: { path: '/webhook/bench-bot/webhook', headers: { [secretHeader]: `benchBot_${trigger}` } },
  };
}
