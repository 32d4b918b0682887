import { z } from 'zod';
import type { Capabilities, PlatformDefinition, WebhookOperation } from './definition.ts';
import { slackManifest } from './slack-manifest.ts';

/** How an answer to a message of a person alone with the bot is sent. */
const directMessages = ['conversation', 'threads'] as const;

/** The tenant's credentials, and what a trial of the token or an installation found about the account. */
export const SlackSecrets = z.object({
  botToken: z.string(),
  /** Absent when the installation's own app was installed: deliveries are signed with the app's secret then. */
  signingSecret: z.string().optional(),
  appId: z.string(),
  /** The workspace; absent for an installation in a whole organization. */
  teamId: z.string().optional(),
  enterpriseId: z.string().optional(),
  /** The person that the bot is in channels (`U…`), whom people mention. */
  botUserId: z.string(),
  /** The bot as the author of messages (`B…`). */
  botId: z.string(),
  directMessages: z.enum(directMessages).default('conversation'),
  /** Replaces an installed token that expires. */
  refreshToken: z.string().optional(),
  /** When to replace it: well before it expires. */
  renewTokenAt: z.iso.datetime().optional(),
});
export type SlackSecrets = z.output<typeof SlackSecrets>;

const capabilities = {
  groups: true,
  threads: true,
  topics: false,
  edits: true,
  deletions: true,
  challenges: true,
  programs: false,
  statuses: false,
  reads: false,
  ratings: true,
  removals: true,
  buttons: true,
  filesIn: true,
  filesOut: true,
  typing: true,
  readMarks: false,
  previews: false,
  blocks: true,
  renames: true,
  rates: true,
  formatting: true,
  templates: false,
} satisfies Capabilities;

const headers = z.object({
  'X-Slack-Signature': z
    .string()
    .meta({ description: 'The signature `v0` over the time and the raw body, with the signing secret.' }),
  'X-Slack-Request-Timestamp': z
    .string()
    .meta({ description: 'The time of the request in seconds. It may be 5 minutes old.' }),
});
const body = {
  'application/json': z
    .looseObject({
      type: z
        .string()
        .describe('`event_callback`, or `url_verification`, which is answered with its challenge.'),
      event_id: z
        .string()
        .optional()
        .describe('The identifier of the event, by which repeated deliveries are recognized.'),
    })
    .meta({ id: 'SlackEvent', description: 'An event of Slack.' }),
  'application/x-www-form-urlencoded': z
    .looseObject({
      command: z.string().optional().describe('A slash command.'),
      payload: z.string().optional().describe('A press of a button, as JSON.'),
    })
    .meta({ id: 'SlackForm', description: 'A slash command or a press of a button.' }),
};
const answer = {
  description:
    'The delivery is stored durably, a duplicate, or ignored. A challenge is answered with its words.',
  contentType: 'text/plain',
  schema: z.string(),
};

const receive: WebhookOperation = {
  method: 'post',
  path: '/webhooks/slack/{botId}',
  operationId: 'receiveSlackDelivery',
  summary: 'Receive an event, a slash command or a press of a button from Slack.',
  description:
    "Called by Slack for an app of the tenant's own, and signed with its signing secret. Requests are rate limited " +
    'per client address and minute before the signature is checked.',
  headers,
  body,
  answer,
  errors: [400, 401, 404, 413, 429, 500, 503, 504],
};
const receiveOfApp: WebhookOperation = {
  ...receive,
  path: '/webhooks/slack',
  operationId: 'receiveSlackAppDelivery',
  description:
    "The same for the installation's own app, which many tenants install: signed with `SLACK_SIGNING_SECRET`. A " +
    'delivery for an unknown workspace is answered with 200. Without the setting the address is 404.',
};

export const slack = {
  title: 'Slack',
  icon: 'hash',
  about: 'People mention the bot in channels, or write to it directly.',
  setUp: {
    before: [
      {
        text: 'Create an app at Slack "from a manifest", with this manifest.',
        link: { label: 'Open Slack', address: 'https://api.slack.com/apps' },
        copy: { label: 'Copy manifest', text: slackManifest('{deliverTo}') },
      },
      {
        text: 'Install the app in the workspace. Copy the bot token from its page "OAuth & Permissions" and the signing secret from "Basic Information".',
      },
    ],
    after: [
      {
        text: 'Press "Retry" beside the address on the app\'s page "Event Subscriptions": only now it can be verified.',
        copy: { label: 'Copy address', text: '{deliverTo}' },
      },
      { text: 'Invite the bot to a channel and mention it, or write to it directly.' },
    ],
  },
  meaning: 'Slack',
  noun: 'Slack',
  credential: 'bot token',
  registersWebhook: false,
  isLive: true,
  joinsMessages: true,
  provesSenders: true,
  privateChatIsPerson: false,
  usesAddresses: false,
  capabilities,
  limits: { textLength: 11_500, fileBytes: 100 * 1024 * 1024, filesPerMessage: 1 },
  waitScope: 'chat',
  /** People of other workspaces (Slack Connect) have identifiers of the same shape. */
  personId: z
    .string()
    .max(64)
    .regex(/^[UW][A-Z0-9]+$/, 'must be the id of a person of Slack, such as U024BE7LH'),
  chatId: z
    .string()
    .max(64)
    .regex(/^[CDG][A-Z0-9]+$/, 'must be the id of a channel or direct message of Slack, such as C024BE91L'),
  credentials: z
    .object({
      /** Its shape is checked with the platform: a token that can't be one is refused like a rejected one (422). */
      botToken: z
        .string()
        .min(1)
        .max(200)
        .describe(
          'The token that the platform issued for the bot. It is encrypted before it is stored, and never shown again.',
        ),
      signingSecret: z
        .string()
        .regex(/^[\x21-\x7e]{1,200}$/, 'must be 1 to 200 printable characters without blanks')
        .describe('The signing secret from the page "Basic Information" of the app.'),
    })
    .describe('The token and the signing secret of an app that is installed in the workspace.'),
  accountId: 'the app and the workspace that it is installed in',
  installs: true,
  settings: z.object({
    directMessages: z
      .enum(directMessages, { error: 'must be one of conversation, threads' })
      .optional()
      .describe(
        'Where a direct message is answered. `conversation` (default): beneath it. `threads`: in a thread of its own, as in the agent view.',
      ),
  }),
  shownSettings: z.object({
    directMessages: z.enum(directMessages).optional().describe('Where a direct message is answered.'),
  }),
  secrets: SlackSecrets,
  shownWhole: ['directMessages'],
  form: {
    botToken: {
      label: 'Bot token',
      help: 'From the page "OAuth & Permissions" of the app; it begins with xoxb-.',
    },
    signingSecret: { label: 'Signing secret', help: 'From the page "Basic Information" of the app.' },
    directMessages: {
      label: 'Direct messages are answered',
      choices: { conversation: 'Beneath the message', threads: 'In a thread of their own' },
    },
  },
  headers: ['x-slack-signature', 'x-slack-request-timestamp', 'x-slack-retry-num', 'x-slack-retry-reason'],
  publicPaths: [],
  operations: [receive, receiveOfApp],
  commands: { prefix: '/' },
} satisfies PlatformDefinition;
