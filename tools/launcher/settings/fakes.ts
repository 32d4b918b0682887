/** Where a platform and its fake are reached. */
export interface Fake {
  /** The setting that has the platform's address. */
  setting: `${string}_API_URL`;
  /** The path of its API, behind the fake's own address. */
  apiPath: string;
  /** Settings of the adapter for an app of ours that the fake has. */
  app?: Readonly<Record<string, string>>;
  /** Settings of the adapter that are secret: no other service gets them. */
  secrets?: readonly string[];
}

/** The fakes of platforms, one line each; launcher, sandbox and the suite of all platforms read it. */
export const fakes = {
  messenger: { setting: 'MESSENGER_API_URL', apiPath: '' },
  mailer: { setting: 'MAILER_API_URL', apiPath: '', secrets: ['MAILER_API_KEY'] },
  slack: {
    setting: 'SLACK_API_URL',
    apiPath: '/api',
    app: {
      SLACK_CLIENT_ID: '0.sandbox',
      SLACK_CLIENT_SECRET: 'sandbox-client-secret',
      SLACK_SIGNING_SECRET: 'sandbox-signing-secret',
    },
    secrets: ['SLACK_CLIENT_SECRET', 'SLACK_SIGNING_SECRET'],
  },
  whatsapp: {
    setting: 'WHATSAPP_API_URL',
    apiPath: '/v26.0',
    secrets: ['WHATSAPP_APP_SECRET', 'WHATSAPP_VERIFY_TOKEN'],
  },
} as const satisfies Readonly<Record<string, Fake>>;

export type FakeName = keyof typeof fakes;

export const fakeNames = Object.keys(fakes) as FakeName[];

/** A value for each fake. */
export const mapFakes = <Value>(
  toValue: (fake: (typeof fakes)[FakeName], name: FakeName) => Value,
): Record<FakeName, Value> =>
  Object.fromEntries(fakeNames.map((name) => [name, toValue(fakes[name], name)])) as Record<FakeName, Value>;

type FakeSetting = (typeof fakes)[FakeName]['setting'];

/** A value for the setting of each fake's address. */
export const mapFakeSettings = <Value>(value: Value): Record<FakeSetting, Value> =>
  Object.fromEntries(fakeNames.map((name) => [fakes[name].setting, value])) as Record<FakeSetting, Value>;

/** The demo bot is created where this fake runs. */
export const demoFake = 'messenger' satisfies FakeName;
/** The demo bot has a mailbox where this fake runs. */
export const mailFake = 'mailer' satisfies FakeName;
