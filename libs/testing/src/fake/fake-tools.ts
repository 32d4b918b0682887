/** A provider of external tools, as Composio's API v3: toolkits, tools, connected accounts, execution. */
import { randomBytes, randomUUID } from 'node:crypto';
import { type Answer, type Call, FakePlatform } from './fake-server.ts';
import { RecordLog } from './record-log.ts';

interface FakeTool {
  slug: string;
  toolkit: string;
  description?: string;
  parameters?: Record<string, unknown>;
  tags?: string[];
}

interface FakeAccount {
  id: string;
  userId: string;
  toolkit: string;
  status: string;
  callbackUrl: string | undefined;
  linkToken: string;
}

interface FakeExecution {
  tool: string;
  arguments: unknown;
  accountId: string | undefined;
  userId: string | undefined;
  logId: string;
}

/** A tool's answer; defaults to its input. */
type FakeToolReply = (execution: FakeExecution) => {
  data?: unknown;
  error?: unknown;
  successful?: boolean;
};

const schema = (properties: Record<string, unknown>, required: string[]) => ({
  type: 'object',
  properties,
  required,
});
const text = { type: 'string' };

const someTools: readonly FakeTool[] = [
  {
    slug: 'MAIL_SEND',
    toolkit: 'mail',
    description: 'Sends a mail.',
    parameters: schema({ to: text, subject: text, body: text }, ['to', 'body']),
    tags: ['destructiveHint', 'openWorldHint'],
  },
  {
    slug: 'MAIL_LIST',
    toolkit: 'mail',
    description: 'Lists the newest mails.',
    parameters: schema({ count: { type: 'integer' } }, []),
    tags: ['readOnlyHint'],
  },
  {
    slug: 'CALENDAR_ADD',
    toolkit: 'calendar',
    description: 'Adds an appointment.',
    parameters: schema({ title: text, at: text }, ['title', 'at']),
    tags: ['idempotentHint'],
  },
  {
    slug: 'WEATHER_TODAY',
    toolkit: 'weather',
    description: 'Tells the weather of a city.',
    parameters: schema({ city: text }, ['city']),
    tags: ['readOnlyHint'],
  },
];

export class FakeTools extends FakePlatform {
  readonly apiKey: string;
  readonly executions = new RecordLog<FakeExecution>();
  readonly accounts = new Map<string, FakeAccount>();
  readonly tools = new Map(someTools.map((tool) => [tool.slug, tool]));
  /** In every account's `state.val`; our code may never store or show it. */
  readonly credential = `ya29.${randomBytes(16).toString('hex')}`;
  readonly #noAuth = new Set(['weather']);
  readonly #configs = new Map<string, string>();
  readonly #replies = new Map<string, FakeToolReply>();

  constructor(options: { apiKey?: string } = {}) {
    super();
    this.apiKey = options.apiKey ?? 'fake-tools-key';
  }

  async start(port?: number): Promise<this> {
    return this.listen({ port, basePath: '/api/v3' });
  }

  replyWith(tool: string, reply: FakeToolReply): void {
    this.#replies.set(tool, reply);
  }

  /** Sets whether the person has authorized the account. */
  settle(accountId: string, status = 'ACTIVE'): FakeAccount {
    const account = this.accounts.get(accountId);
    if (!account) throw new Error(`there is no account ${accountId}`);
    account.status = status;
    return account;
  }

  protected operationOf(method: string, path: string): string {
    const [resource = '', first = ''] = path.replace(/^\/api\/v3\//, '').split('/');
    return first === 'execute' ? 'execute' : `${method} ${resource}`;
  }

  protected async answer(call: Call): Promise<Answer> {
    const { method, path } = call;
    const [, linkToken] = /^\/connect\/(\w+)$/.exec(path) ?? [];
    if (linkToken && method === 'GET') return this.#complete(linkToken);
    if (call.headers['x-api-key'] !== this.apiKey) return failure(401, 'Invalid API key');
    const [resource, first, second] = path.replace(/^\/api\/v3\//, '').split('/');
    if (resource === 'toolkits') return this.#toolkits(call, first);
    if (resource === 'tools' && first === 'execute' && method === 'POST') return this.#execute(call, second);
    if (resource === 'tools') return this.#tools(call, first);
    if (resource === 'auth_configs') return this.#authConfigs(call);
    if (resource === 'connected_accounts' && first === 'link' && method === 'POST') return this.#link(call);
    if (resource === 'connected_accounts' && first) return this.#account(method, first);
    return failure(404, 'Not found');
  }

  #toolkits({ query }: Call, slug: string | undefined): Answer {
    const slugs = [...new Set([...this.tools.values()].map(({ toolkit }) => toolkit))];
    if (slug && !slugs.includes(slug)) return failure(404, `Toolkit ${slug} not found`);
    const search = query.get('search') ?? '';
    const items = (slug ? [slug] : slugs.filter((one) => one.includes(search))).map((one) => ({
      slug: one,
      name: one[0]?.toUpperCase() + one.slice(1),
      no_auth: this.#noAuth.has(one),
      is_local_toolkit: false,
      meta: { description: `Tools for ${one}.`, logo: '', categories: [], tools_count: 2, triggers_count: 0 },
    }));
    return { status: 200, body: slug ? items[0] : page(items) };
  }

  #tools({ query }: Call, slug: string | undefined): Answer {
    const shown = ({ slug: name, toolkit, description, parameters, tags }: FakeTool) => ({
      slug: name,
      name,
      description: description ?? '',
      toolkit: { slug: toolkit, name: toolkit, logo: '' },
      input_parameters: parameters ?? {},
      output_parameters: {},
      tags: tags ?? [],
      version: '20261101_00',
    });
    if (!slug) {
      const wanted = query.get('toolkit_slug');
      const toolsOfToolkit = [...this.tools.values()].filter(({ toolkit }) => toolkit === wanted);
      return { status: 200, body: page(toolsOfToolkit.map(shown)) };
    }
    const tool = this.tools.get(slug);
    return tool ? { status: 200, body: shown(tool) } : failure(404, `Tool ${slug} not found`);
  }

  #authConfigs({ method, query, params }: Call): Answer {
    if (method === 'GET') {
      const ofToolkit = [...this.#configs].filter(([, slug]) => slug === query.get('toolkit_slug'));
      const items = ofToolkit.map(([id]) => ({ id, status: 'ENABLED', is_composio_managed: true }));
      return { status: 200, body: page(items) };
    }
    const { slug = '' } = (params.toolkit ?? {}) as { slug?: string };
    const id = `ac_${randomUUID().slice(0, 8)}`;
    this.#configs.set(id, slug);
    return { status: 201, body: { toolkit: { slug }, auth_config: { id, is_composio_managed: true } } };
  }

  #link({ params }: Call): Answer {
    const toolkit = this.#configs.get(String(params.auth_config_id));
    if (!toolkit) return failure(400, 'Unknown auth config');
    const account: FakeAccount = {
      id: `ca_${randomBytes(8).toString('hex')}`,
      userId: String(params.user_id),
      toolkit,
      status: 'INITIATED',
      callbackUrl: typeof params.callback_url === 'string' ? params.callback_url : undefined,
      linkToken: randomBytes(12).toString('hex'),
    };
    this.accounts.set(account.id, account);
    return {
      status: 201,
      body: {
        link_token: account.linkToken,
        redirect_url: `${this.url.replace(/\/api\/v3$/, '')}/connect/${account.linkToken}`,
        expires_at: new Date(Date.now() + 600_000).toISOString(),
        connected_account_id: account.id,
      },
    };
  }

  /** The provider's page on which a person gives consent. */
  #complete(linkToken: string): Answer {
    const account = [...this.accounts.values()].find((one) => one.linkToken === linkToken);
    if (!account) return { status: 404, body: 'This link is not known.' };
    account.status = 'ACTIVE';
    if (!account.callbackUrl) return { status: 200, body: 'Connected. You can close this page.' };
    return { status: 302, headers: { location: account.callbackUrl }, body: '' };
  }

  #account(method: string, id: string): Answer {
    const account = this.accounts.get(id);
    if (!account) return failure(404, 'Connected account not found');
    if (method === 'DELETE') {
      this.accounts.delete(id);
      return { status: 200, body: { success: true } };
    }
    const { userId, toolkit, status } = account;
    const state = { authScheme: 'OAUTH2', val: { status, access_token: this.credential } };
    return { status: 200, body: { id, user_id: userId, status, toolkit: { slug: toolkit }, state } };
  }

  #execute({ params }: Call, slug = ''): Answer {
    const tool = this.tools.get(slug);
    if (!tool) return failure(404, `Tool ${slug} not found`);
    const accountId =
      typeof params.connected_account_id === 'string' ? params.connected_account_id : undefined;
    const account = accountId ? this.accounts.get(accountId) : undefined;
    if (!this.#noAuth.has(tool.toolkit) && (account?.status !== 'ACTIVE' || account.toolkit !== tool.toolkit))
      return failure(400, 'No active connected account');
    const execution = {
      tool: slug,
      arguments: params.arguments,
      accountId,
      userId: typeof params.user_id === 'string' ? params.user_id : undefined,
      logId: `log_${randomBytes(6).toString('hex')}`,
    };
    this.executions.add(execution);
    const reply = this.#replies.get(slug)?.(execution) ?? { data: { done: execution.arguments } };
    const { data = {}, error = null, successful = error === null } = reply;
    return { status: 200, body: { data, error, successful, log_id: execution.logId } };
  }
}

const page = (items: unknown[]) => ({
  items,
  next_cursor: null,
  total_pages: 1,
  current_page: 1,
  total_items: items.length,
});

const failure = (status: number, message: string): Answer => ({
  status,
  body: { error: { message, code: status, status, request_id: randomUUID() } },
});

/** Listens on its own port; `url` is what `TOOL_INTEGRATIONS_API_URL` needs. */
export const startFakeTools = (options: { apiKey?: string; port?: number } = {}): Promise<FakeTools> =>
  new FakeTools(options).start(options.port);
