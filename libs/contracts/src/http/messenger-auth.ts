import { z } from 'zod';
import { moment } from './common.ts';
import { defineRouter, route } from './contract.ts';

/**
 * The browser's own secret of a sign-in: with `__Host-` wherever the address is https, so that no other host can plant
 * it.
 */
export const loginCookies = { secure: '__Host-botyard-login', local: 'botyard-login' } as const;

/** No field of the platform's begins otherwise, and what holds a line break could pass for several fields. */
const fieldName = z.string().regex(/^[a-z][a-z_]{0,63}$/);
const fieldText = z
  .string()
  .max(1000)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
  .regex(/^[^\u0000-\u001f\u007f]*$/, 'must not contain control characters');
const maxFields = 20;
/** A login as the widget gives it. */
export const loginExamples = [
  {
    id: '5512345678',
    first_name: 'Anna',
    auth_date: '1795200000',
    hash: '0f1e2d3c4b5a69788796a5b4c3d2e1f0',
  },
];

/** Exactly the widget's fields, whatever they are: the platform's signature covers all of them. */
const WidgetFields = z
  .record(fieldName, fieldText)
  .refine((fields) => Object.keys(fields).length <= maxFields, `must be at most ${maxFields} fields`)
  .meta({ examples: loginExamples });

/** As scripts get them: numbers are numbers. */
export const ScriptFields = z
  .record(fieldName, z.union([fieldText, z.number().int().nonnegative().transform(String)]))
  .refine((fields) => Object.keys(fields).length <= maxFields, `must be at most ${maxFields} fields`)
  .meta({ examples: loginExamples });

export const CompleteMessengerLoginBody = z
  .object({
    login: ScriptFields.optional().describe(
      'What the widget gave to `data-onauth`, all of it. Without it, what came to the callback counts.',
    ),
    state: z.string().max(100).optional().describe('Of `config`; belongs to `login`.'),
  })
  .refine(({ login, state }) => login === undefined || state !== undefined, {
    path: ['state'],
    message: 'belongs to login',
  })
  .meta({ examples: [{ login: loginExamples[0], state: 'q0w9e8r7t6' }] });
export type CompleteMessengerLoginBody = z.output<typeof CompleteMessengerLoginBody>;

export const MessengerLoginConfig = z
  .discriminatedUnion('enabled', [
    z.object({ enabled: z.literal(false) }),
    z.object({
      enabled: z.literal(true),
      botUsername: z.string().describe('For `data-telegram-login`.'),
      authUrl: z
        .url()
        .describe('For `data-auth-url`: the widget returns there, and the browser goes on to `returnTo`.'),
      state: z.string().describe('Goes along with the fields of `data-onauth`.'),
      returnTo: z.url().describe('The page that the browser is sent to in the end.'),
      canSignIn: z
        .boolean()
        .describe('Whether sessions can be had; linking an account needs only the widget.'),
      expiresAt: moment.describe('When this sign-in can no longer be completed.'),
    }),
  ])
  .meta({
    id: 'MessengerLoginConfig',
    description:
      'What a page needs to show the login widget of the chat platform; `enabled: false` where that is switched off.',
  });
export type MessengerLoginConfig = z.input<typeof MessengerLoginConfig>;

export const MessengerLoginStatus = z
  .object({
    state: z.enum(['none', 'pending', 'verified', 'completed', 'expired']),
    expiresAt: moment
      .optional()
      .describe('When this sign-in can no longer be completed. Absent while there is none.'),
  })
  .meta({
    id: 'MessengerLoginStatus',
    description: 'How far a sign-in with the chat platform is in this browser.',
  });
export type MessengerLoginStatus = z.input<typeof MessengerLoginStatus>;

/** A ticket of the identity provider: its client turns it into a session. */
export const SignInTicket = z
  .object({
    ticket: z.string().describe("For the identity provider's client, as the strategy `ticket`."),
    url: z.url().nullable().describe('Signs the browser in by itself, where the provider has such a page.'),
    expiresAt: moment.describe('When the ticket is no longer good.'),
  })
  .meta({
    id: 'SignInTicket',
    description: 'A ticket of the identity provider: its client turns it into a session.',
  });
export type SignInTicket = z.input<typeof SignInTicket>;

export const messengerAuthRouter = defineRouter({
  basePath: '/api/messenger-auth',
  service: 'tenancy',
  description:
    "Signing in with an account of the messenger, by the platform's login widget. A sign-in belongs to the browser that began it: " +
    'without its cookie nothing is told or changed.',
  cookies: Object.values(loginCookies),
  routes: {
    getMessengerLoginConfig: route({
      method: 'get',
      path: '/config',
      access: 'public',
      summary: 'Begin a sign-in: what the widget needs, and a cookie that binds the sign-in to this browser.',
      description:
        'A browser has one sign-in at a time: a new one takes the place of the one before. It ends after 10 minutes.',
      query: z.object({
        returnTo: z
          .url({ protocol: /^https?$/ })
          .max(500)
          .optional()
          .describe(
            'Where the browser goes after the widget: an address of the app, which is one of the allowed origins.',
          ),
      }),
      response: MessengerLoginConfig,
      errors: [422],
    }),
    returnFromMessenger: route({
      method: 'get',
      path: '/callback',
      access: 'public',
      summary:
        'Where the widget returns: verifies what the platform signed and sends the browser on to the app.',
      description:
        'Takes `state` and every field of the widget, each once. 401 for what is not signed by the platform for this bot, is older ' +
        'than 5 minutes, was used before, or comes to another browser. The app then calls `complete`.',
      query: WidgetFields,
      status: 303,
      errors: [401, 404, 409],
    }),
    completeMessengerLogin: route({
      method: 'post',
      path: '/complete',
      access: 'public',
      summary: 'Complete the sign-in: a ticket of the identity provider for the person whose account it is.',
      description:
        'After the callback without a body, or with `state` and what the widget gave to `data-onauth`. An account that ' +
        'nobody has linked is 409: sign in as usual and link it with `POST /api/identity-links`. Only once: a second call is 409.',
      body: CompleteMessengerLoginBody,
      maxBodyBytes: 8 * 1024,
      response: SignInTicket,
      errors: [401, 404, 409, 422],
    }),
    getMessengerLoginStatus: route({
      method: 'get',
      path: '/status',
      access: 'public',
      summary: "How far this browser's sign-in is.",
      response: MessengerLoginStatus,
    }),
  },
});
