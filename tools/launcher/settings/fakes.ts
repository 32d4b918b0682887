/** Where a fake platform is reached. */
export interface Fake {
  /** The setting that has the platform's address. */
  setting: `${string}_API_URL`;
  /** The path of its API, behind the fake's own address. */
  apiPath: string;
  /** Settings of the adapter for an app of ours that the fake has. */
  app?: Readonly<Record<string, string>>;
}

/** The fakes of platforms, one line each; launcher, sandbox and the suite of all platforms read it. */
export const fakes = {
  messenger: { setting: 'MESSENGER_API_URL', apiPath: '' },
  mailer: { setting: 'MAILER_API_URL', apiPath: '' },
  slack: {
    setting: 'SLACK_API_URL',
    apiPath: '/api',
    app: {
      SLACK_CLIENT_ID: '0.sandbox',
      SLACK_CLIENT_SECRET: 'sandbox-client-secret',
      SLACK_SIGNING_SECRET: 'sandbox-signing-secret',
    },
  },
  whatsapp: { setting: 'WHATSAPP_API_URL', apiPath: '/v26.0' },
} as const satisfies Readonly<Record<string, Fake>>;

export type FakeName = keyof typeof fakes;

export const fakeNames = Object.keys(fakes) as FakeName[];

/** A value for each fake. */
export const mapFakes = <Value>(
  toValue: (fake: (typeof fakes)[FakeName], name: FakeName) => Value,
): Record<FakeName, Value> =>
  Object.fromEntries(fakeNames.map((name) => [name, toValue(fakes[name], name)])) as Record<FakeName, Value>;

/** The demo bot is created where this fake runs. */
export const demoFake = 'messenger' satisfies FakeName;
/** The demo bot has a mailbox where this fake runs. */
export const mailFake = 'mailer' satisfies FakeName;
