import { z } from 'zod';
import { moment } from './common.ts';
import { anyone, defineRouter } from './contract.ts';

/**
 * Names of the cookie with the browser's secret of a sign-in. With https the name begins with `__Host-`, so that no
 * other host can set the cookie.
 */
export const loginCookies = { secure: '__Host-botyard-login', local: 'botyard-login' } as const;

/** All names of the platform's fields match this. A name with a line break could pass for several fields. */
const fieldName = z.string().regex(/^[a-z][a-z_]{0,63}$/);
const fieldText = z
  .string()
  .max(1000)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
  .regex(/^[^\u0000-\u001f\u007f]*$/, 'must not contain control characters');
const maxFields = 20;
/** A login as the widget passes it to a page. */
export const loginExamples = [
  {
    id: '5512345678',
    first_name: 'Anna',
    auth_date: '1795200000',
    hash: '0f1e2d3c4b5a69788796a5b4c3d2e1f0',
  },
];

/** All fields of the widget, including unknown ones, because the platform's signature covers all of them. */
const WidgetFields = z
  .record(fieldName, fieldText)
  .refine((fields) => Object.keys(fields).length <= maxFields, `must be at most ${maxFields} fields`)
  .meta({ examples: loginExamples });

/** The fields as scripts get them, with numbers as numbers. */
export const ScriptFields = z
  .record(fieldName, z.union([fieldText, z.int().nonnegative().transform(String)]))
  .refine((fields) => Object.keys(fields).length <= maxFields, `must be at most ${maxFields} fields`)
  .meta({ examples: loginExamples });

export const CompleteMessengerLoginBody = z
  .object({
    login: ScriptFields.optional().describe(
      'All fields that the widget passed to `data-onauth`. If omitted, the fields that the callback received are used.',
    ),
    state: z.string().max(100).optional().describe('The `state` from `config`. Required with `login`.'),
  })
  .refine(({ login, state }) => login === undefined || state !== undefined, {
    path: ['state'],
    message: 'is required with login',
  })
  .meta({ examples: [{ login: loginExamples[0], state: 'q0w9e8r7t6' }] });
export type CompleteMessengerLoginBody = z.output<typeof CompleteMessengerLoginBody>;

export const MessengerLoginConfig = z
  .discriminatedUnion('enabled', [
    z.object({ enabled: z.literal(false) }),
    z.object({
      enabled: z.literal(true),
      botUsername: z.string().describe('The value for `data-telegram-login`.'),
      authUrl: z
        .url()
        .describe(
          'The value for `data-auth-url`. The widget returns there, and the browser continues to `returnTo`.',
        ),
      state: z.string().describe('Send it together with the fields of `data-onauth`.'),
      returnTo: z.url().describe('The page to which the browser is finally sent.'),
      canSignIn: z
        .boolean()
        .describe('Whether people can sign in. Linking an account needs only the widget.'),
      expiresAt: moment.describe('When this sign-in can no longer be completed.'),
    }),
  ])
  .meta({
    id: 'MessengerLoginConfig',
    description:
      'The values that a page needs to show the login widget of the chat platform. `enabled` is `false` if sign-in is switched off.',
  });
export type MessengerLoginConfig = z.input<typeof MessengerLoginConfig>;

export const MessengerLoginStatus = z
  .object({
    state: z.enum(['none', 'pending', 'verified', 'completed', 'expired']),
    expiresAt: moment
      .optional()
      .describe('When this sign-in can no longer be completed. Omitted if there is none.'),
  })
  .meta({
    id: 'MessengerLoginStatus',
    description: 'The progress of a sign-in with the chat platform in this browser.',
  });
export type MessengerLoginStatus = z.input<typeof MessengerLoginStatus>;

/** A ticket of the identity provider, which its client exchanges for a session. */
export const SignInTicket = z
  .object({
    ticket: z
      .string()
      .describe("The ticket for the identity provider's client, to use with the strategy `ticket`."),
    url: z
      .url()
      .nullable()
      .describe('A page that signs the browser in directly. `null` if the provider has none.'),
    expiresAt: moment.describe('When the ticket expires.'),
  })
  .meta({
    id: 'SignInTicket',
    description: 'A ticket of the identity provider, which its client exchanges for a session.',
  });
export type SignInTicket = z.input<typeof SignInTicket>;

export const messengerAuthRouter = defineRouter({
  basePath: '/api/messenger-auth',
  service: 'tenancy',
  description:
    "Sign-in with an account of the messenger, through the platform's login widget. A sign-in belongs to the browser that " +
    'started it: without its cookie, nothing is disclosed or changed.',
  cookies: Object.values(loginCookies),
  routes: {
    getMessengerLoginConfig: anyone.get('/config', {
      summary: 'Start a sign-in and get the values that the widget needs.',
      description:
        'Sets a cookie that binds the sign-in to this browser. A browser has one sign-in at a time; a new one replaces it. ' +
        'A sign-in expires after 10 minutes.',
      query: z.object({
        returnTo: z
          .url({ protocol: /^https?$/ })
          .max(500)
          .optional()
          .describe(
            'The address of the app to which the browser goes after the widget. Its origin must be allowed.',
          ),
      }),
      response: MessengerLoginConfig,
      errors: [422],
    }),
    returnFromMessenger: anyone.get('/callback', {
      summary: 'Verify the fields that the platform signed, and redirect the browser to the app.',
      description:
        'The widget returns here. Takes `state` and every field of the widget, each once. Returns 401 if the fields are not signed ' +
        'by the platform for this bot, are older than 5 minutes, were used before, or come from another browser. ' +
        'The app then calls `complete`.',
      query: WidgetFields,
      status: 303,
      errors: [401, 404, 409],
    }),
    completeMessengerLogin: anyone.post('/complete', {
      summary: 'Complete the sign-in and get a ticket of the identity provider.',
      description:
        'The ticket is for the person who owns the account. After the callback, send no body; otherwise send `state` and the fields ' +
        'that the widget passed to `data-onauth`. Returns 409 if no user has linked the account: sign in as usual and link it with ' +
        '`POST /api/identity-links`. A second call also returns 409.',
      body: CompleteMessengerLoginBody,
      maxBodyBytes: 8 * 1024,
      response: SignInTicket,
      errors: [401, 404, 409, 422],
    }),
    getMessengerLoginStatus: anyone.get('/status', {
      summary: "Get the progress of this browser's sign-in.",
      response: MessengerLoginStatus,
    }),
  },
});
