/** The tools that scenarios of the conformance suite call, as its documents describe them. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import {
  acceptedContent,
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type InputRequest,
  type InputRequiredResult,
  inputRequired,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { McpTool } from '../../../services/gateway/src/domain/mcp-server.ts';

type Result = CallToolResult | InputRequiredResult;
type Content = CallToolResult['content'][number];

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const wav = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';

const text = (words: string): Content => ({ type: 'text', text: words });
const image: Content = { type: 'image', data: png, mimeType: 'image/png' };
const said = (words: string): CallToolResult => ({ content: [text(words)] });

function tool(
  name: string,
  run: (context: ServerContext, args: Record<string, unknown>) => Result | Promise<Result>,
  inputSchema: McpTool['inputSchema'] = { type: 'object' },
): McpTool {
  return {
    name,
    description: `A tool of the suite: ${name}`,
    inputSchema,
    readsOnly: true,
    run: async (args, _caller, context) => run(context, args),
  };
}

const contents: Readonly<Record<string, Content[]>> = {
  test_simple_text: [text('This is a simple text response for testing.')],
  test_image_content: [image],
  test_audio_content: [{ type: 'audio', data: wav, mimeType: 'audio/wav' }],
  test_embedded_resource: [
    {
      type: 'resource',
      resource: {
        uri: 'test://embedded-resource',
        mimeType: 'text/plain',
        text: 'This is an embedded resource content.',
      },
    },
  ],
  test_multiple_content_types: [
    text('Multiple content types test:'),
    image,
    {
      type: 'resource',
      resource: {
        uri: 'test://mixed-content-resource',
        mimeType: 'application/json',
        text: '{"test":"data","value":123}',
      },
    },
  ],
  test_logging_tool: [text('nothing is logged')],
};

/** With keywords that a server must not lose on the way. */
const schemaOf2020: McpTool['inputSchema'] = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};

async function reportProgress({ mcpReq: { _meta, notify } }: ServerContext): Promise<Result> {
  const progressToken = _meta?.progressToken;
  if (progressToken !== undefined)
    for (const progress of [0, 50, 100])
      await notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
  return said('done');
}

type Property = { type: 'string' } | { type: 'boolean' };
const question = (field: string, property: Property, message: string): InputRequest =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { [field]: property }, required: [field] },
  });
const whichName = question('name', { type: 'string' }, 'What is your name?');
const whichGreeting = inputRequired.createMessage({
  messages: [{ role: 'user', content: { type: 'text', text: 'Generate a greeting' } }],
  maxTokens: 50,
});

/** Asks for what is missing, and otherwise gives the result. */
function asking(inputRequests: Record<string, InputRequest>, result: string, state?: string) {
  return ({ mcpReq: { inputResponses = {}, requestState } }: ServerContext): Result => {
    const isAnswered = Object.entries(inputRequests).every(([key, { method }]) =>
      method === 'elicitation/create'
        ? acceptedContent(inputResponses, key) !== undefined
        : inputResponses[key] !== undefined,
    );
    if (!isAnswered)
      return inputRequired(state === undefined ? { inputRequests } : { inputRequests, requestState: state });
    if (requestState() !== state) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'another state');
    return said(`${result} ${JSON.stringify(inputResponses)}`);
  };
}

/** Two questions, one after the other. */
function askTwice({ mcpReq: { inputResponses, requestState } }: ServerContext): Result {
  const state = requestState();
  if (state === 'second' && acceptedContent(inputResponses, 'step2')) return said('both are answered');
  if (state === 'first' && acceptedContent(inputResponses, 'step1'))
    return inputRequired({
      inputRequests: { step2: question('color', { type: 'string' }, 'Step 2: What is your favorite color?') },
      requestState: 'second',
    });
  return inputRequired({
    inputRequests: { step1: question('name', { type: 'string' }, 'Step 1: What is your name?') },
    requestState: 'first',
  });
}

const key = randomBytes(32);
const signed = (state: string) => `${state}.${createHmac('sha256', key).update(state).digest('hex')}`;

function refuseTampered({ mcpReq: { requestState } }: ServerContext): Result {
  const state = Buffer.from(requestState<string>() ?? '');
  const expected = Buffer.from(signed('asked'));
  if (state.length === 0)
    return inputRequired({
      inputRequests: { confirm: question('ok', { type: 'boolean' }, 'Please confirm') },
      requestState: expected.toString(),
    });
  if (state.length === expected.length && timingSafeEqual(state, expected)) return said('confirmed');
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'the state is not one of this server');
}

function capabilitiesOf({ mcpReq: { envelope } }: ServerContext): Record<string, unknown> {
  const metadata: Readonly<Record<string, unknown>> = { ...envelope };
  return { ...(metadata[CLIENT_CAPABILITIES_META_KEY] as object) };
}

/** Asks a client only for what it declares. */
function askCapable(context: ServerContext): Result {
  const { elicitation, sampling } = capabilitiesOf(context);
  return inputRequired({
    inputRequests: {
      ...(elicitation ? { user_name: whichName } : {}),
      ...(sampling ? { greeting: whichGreeting } : {}),
    },
  });
}

function needSampling(context: ServerContext): Result {
  if (capabilitiesOf(context).sampling) return said('the client can sample');
  throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } });
}

const roots = { client_roots: inputRequired.listRoots() };

export const fixtureTools: readonly McpTool[] = [
  ...Object.entries(contents).map(([name, content]) => tool(name, () => ({ content }))),
  tool('test_error_handling', () => ({
    content: [text('This tool intentionally returns an error for testing')],
    isError: true,
  })),
  tool('test_tool_with_progress', reportProgress),
  tool('json_schema_2020_12_tool', () => said('done'), schemaOf2020),
  tool('test_custom_header', (_context, { region }) => said(`${region}`), {
    type: 'object',
    properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
  }),
  tool('test_missing_capability', needSampling),
  tool('test_streaming_elicitation', asking({ user_name: whichName }, 'Hello')),
  tool('test_input_required_result_elicitation', asking({ user_name: whichName }, 'Hello')),
  tool('test_input_required_result_sampling', asking({ capital_question: whichGreeting }, 'It is')),
  tool('test_input_required_result_list_roots', asking(roots, 'They are')),
  tool(
    'test_input_required_result_request_state',
    asking({ confirm: question('ok', { type: 'boolean' }, 'Please confirm') }, 'state-ok', 'the-state'),
  ),
  tool(
    'test_input_required_result_multiple_inputs',
    asking({ user_name: whichName, greeting: whichGreeting, ...roots }, 'All is there', 'the-state'),
  ),
  tool('test_input_required_result_multi_round', askTwice),
  tool('test_input_required_result_tampered_state', refuseTampered),
  tool('test_input_required_result_capabilities', askCapable),
];
