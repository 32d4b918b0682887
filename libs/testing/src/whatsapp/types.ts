/** The state of a WhatsApp Cloud API: apps, accounts, numbers and people. */

export type Callback = { url: string; verifyToken: string };

export type App = {
  id: string;
  secret: string;
  /** The address of the app, for what no account or number sends elsewhere, and for all news of accounts. */
  callback?: Callback;
  /** The fields that the app is subscribed to. */
  fields: Set<string>;
};

export type Permission = 'whatsapp_business_messaging' | 'whatsapp_business_management';

/** A system user's token. */
export type AccessToken = { value: string; appId: string; permissions: readonly Permission[] };

export type Template = {
  name: string;
  language: string;
  status: string;
  category: string;
  parameter_format?: 'POSITIONAL' | 'NAMED';
  components: Record<string, unknown>[];
};

export type Account = {
  id: string;
  /** Apps that get its deliveries, each with the account's own address for them. */
  subscribed: Map<string, Callback | undefined>;
  templates: Template[];
};

export type PhoneNumber = {
  id: string;
  accountId: string;
  /** As people read it. */
  display: string;
  name: string;
  quality: 'GREEN' | 'YELLOW' | 'RED';
  callback?: Callback;
};

export type WaPerson = {
  phone: string;
  /** The business-scoped user id. */
  userId: string;
  name: string;
  username?: string;
  /** Notifications don't tell the number. */
  hidesPhone?: boolean;
  /** Without a user id, as before April 2026. */
  hasNoUserId?: boolean;
};

export type WaMedia = { id: string; mimeType: string; bytes: Buffer; fileName?: string };

/** A button under a message. Only one without an address can be pressed; its identifier comes back. */
export type SentButton = { id: string; title: string; description?: string; address?: string };

/** The content of a message that the person reads. A template may have a header and a footer. */
export type ShownMessage = {
  text: string;
  header?: string | undefined;
  footer?: string | undefined;
  buttons: SentButton[];
  /** How a press of one arrives: by the kind of the message. */
  pressedAs?: 'button' | 'button_reply' | 'list_reply';
};

/** A message that was accepted. */
export type SentMessage = ShownMessage & {
  id: string;
  phoneNumberId: string;
  /** The person's number, by either identifier. */
  phone: string;
  /** The field that named the person. */
  addressedBy: 'to' | 'recipient';
  type: string;
  message: Record<string, unknown>;
};

export type WebhookPost = {
  phoneNumberId: string | undefined;
  url: string;
  body: Record<string, unknown>;
  attempts: { at: number; status?: number; error?: string }[];
  state: 'queued' | 'retrying' | 'delivered' | 'dropped' | 'unsubscribed';
};

/** A line of a chat, as the person sees it. */
export type ChatEntry = ShownMessage & {
  id: string;
  phoneNumberId: string;
  phone: string;
  direction: 'in' | 'out';
  at: number;
  /** The newest report of the platform about a message of the business. */
  status?: 'sent' | 'delivered' | 'read' | 'failed';
  /** How the notification of a person's message fared. */
  delivery?: WebhookPost['state'];
};

/** The state that a sandbox keeps of its numbers and chats. */
export type WhatsAppState = {
  subscribed: { accountId: string; appId: string; callback?: Callback }[];
  callbacks: { phoneNumberId: string; callback: Callback }[];
  entries: ChatEntry[];
};

export type WhatsAppEvent =
  | { type: 'message'; phone: string; phoneNumberId: string }
  | { type: 'number'; phoneNumberId: string };

/** A refusal, as the Graph API writes it. */
export class GraphError extends Error {
  readonly code: number;
  readonly status: number;
  readonly details: string | undefined;

  constructor(
    code: number,
    message: string,
    { status = 400, details }: { status?: number; details?: string } = {},
  ) {
    super(message);
    this.code = code;
    this.status = status;
    this.details = details;
  }

  get body(): Record<string, unknown> {
    return {
      error: {
        message: `(#${this.code}) ${this.message}`,
        type: 'OAuthException',
        code: this.code,
        ...(this.details === undefined
          ? {}
          : { error_data: { messaging_product: 'whatsapp', details: this.details } }),
        fbtrace_id: 'AFake0000trace',
      },
    };
  }
}
