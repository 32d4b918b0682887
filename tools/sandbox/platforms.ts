import type { FakePlatform } from '@botyard/testing/fake/fake-server';
import { FakeTools } from '@botyard/testing/fake/fake-tools';
import { FakeIdp } from '@botyard/testing/fake-idp';
import { FakeMailer } from '@botyard/testing/fake-mailer';
import { FakeMessenger } from '@botyard/testing/fake-messenger';
import { FakeModel } from '@botyard/testing/fake-model';
import { FakeSlack } from '@botyard/testing/fake-slack';
import { FakeWhatsApp } from '@botyard/testing/fake-whatsapp';
import { addPeople } from './idp/people.ts';
import { demoReply } from './model/demo-model.ts';
import type { SandboxPlatform, SandboxSettings } from './settings.ts';
import { addWorkspace } from './slack/demo-workspace.ts';
import { addNumber } from './whatsapp/demo-number.ts';

/** The fakes, as the sandbox makes them. A name without one doesn't compile. */
const makers = {
  messenger: () => new FakeMessenger({ acceptAnyToken: true }),
  mailer: ({ mailerApiKey: apiKey }: SandboxSettings) =>
    new FakeMailer({ apiKey, acceptAnyKey: true, retryScale: 0.005 }),
  slack: () => {
    const slack = new FakeSlack({ retryScale: 0.1 });
    addWorkspace(slack);
    return slack;
  },
  whatsapp: () => {
    const whatsapp = new FakeWhatsApp({ retryScale: 0.1 });
    addNumber(whatsapp);
    return whatsapp;
  },
  idp: ({ idpSecretKey: secretKey }: SandboxSettings) => addPeople(new FakeIdp({ secretKey })),
  model: () => new FakeModel({ models: ['sandbox'], reply: demoReply, chunkDelayMs: 15 }),
  tools: ({ toolsApiKey: apiKey }: SandboxSettings) => new FakeTools({ apiKey }),
} satisfies Record<SandboxPlatform, (settings: SandboxSettings) => FakePlatform>;

/** The fakes that run. */
export type Platforms = { [Name in SandboxPlatform]?: ReturnType<(typeof makers)[Name]> };

export const createPlatforms = (settings: SandboxSettings): Platforms =>
  Object.fromEntries(settings.platforms.map((name) => [name, makers[name](settings)]));
