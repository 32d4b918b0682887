import type { AdapterModule } from '../adapter.ts';
import { Sessions } from './domain/sessions.ts';
import { Streams } from './domain/streams.ts';
import { createWebchat } from './domain/webchat.ts';
import { mountPages } from './routes/pages.ts';
import { mountWebchat } from './routes/webchat.ts';

const settings = {};

export const webchat: AdapterModule<typeof settings> = {
  settings,
  create: (context) => {
    const streams = new Streams(context);
    const deps = { ...context, streams, sessions: new Sessions(context) };
    return {
      ...createWebchat(deps),
      mount: (router) => mountWebchat(router, deps),
      mountPublic: (router) => mountPages(router, deps),
    };
  },
};
