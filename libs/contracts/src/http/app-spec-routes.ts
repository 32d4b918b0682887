import { z } from 'zod';
import { AppSpec, maxSpecBytes } from './app-spec.ts';
import { versionNumber } from './apps.ts';
import { id, moment, versionInPath } from './common.ts';
import { route } from './contract.ts';
import { pageQueryBy } from './page.ts';

const access = 'admin';
const revision = z.number().int().positive();

export const AppDraft = z
  .object({
    appId: id,
    spec: z.unknown().describe('As it was put: it may be broken.'),
    revision: revision.describe('Grows with every change of the draft.'),
    updatedAt: moment,
  })
  .meta({ id: 'AppDraft', description: 'The spec of an app as it is edited. Nothing of it runs.' });
export type AppDraft = z.input<typeof AppDraft>;

const isRevision = revision
  .optional()
  .describe('What the caller has seen: when somebody has changed the draft since, it is 409.');

export const SpecFaults = z
  .object({
    isValid: z.boolean().describe('Whether the draft can be published.'),
    faults: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .describe('All of them, 500 at most, with paths such as `routes.2.agent`.'),
    revision: revision.describe('Which state of the draft this is about.'),
  })
  .meta({ id: 'SpecFaults', description: 'Everything that keeps a draft from being published.' });
export type SpecFaults = z.input<typeof SpecFaults>;

const versionFields = {
  appId: id,
  version: versionNumber,
  origin: z.enum(['publish', 'rollback', 'install', 'migration']),
  rolledBackTo: versionNumber.nullable().describe('Whose spec it has, after a rollback.'),
  isCurrent: z.boolean(),
  publishedAt: moment,
};
const AppVersionSummary = z
  .object(versionFields)
  .meta({ id: 'AppVersionSummary', description: 'A published version of an app, as a list shows it.' });
export const AppVersion = z
  .object({ ...versionFields, spec: AppSpec })
  .meta({ id: 'AppVersion', description: 'A published version of an app, with its spec.' });
export type AppVersion = z.input<typeof AppVersion>;

const aboutVersions = 'Versions never change. The last 100 are kept.';

/** The part of `/api/admin/apps` that is about specs. */
export const appSpecRoutes = {
  getAppDraft: route({
    method: 'get',
    path: '/:appId/draft',
    access,
    summary: 'Get the draft of the spec.',
    response: AppDraft,
  }),
  updateAppDraft: route({
    method: 'put',
    path: '/:appId/draft',
    access,
    summary: 'Replace the draft. It may be broken: nothing of it runs before it is published.',
    body: z.object({
      spec: z
        .record(z.string(), z.unknown())
        .describe('The whole draft; `AppSpec` is what it has to be to be published.'),
      revision: isRevision,
    }),
    maxBodyBytes: maxSpecBytes + 4096,
    response: AppDraft,
    errors: [409],
  }),
  validateAppDraft: route({
    method: 'post',
    path: '/:appId/draft/validate',
    access,
    summary: 'Find everything that keeps the draft from being published.',
    response: SpecFaults,
  }),
  publishApp: route({
    method: 'post',
    path: '/:appId/publish',
    access,
    summary: 'Publish the draft: it is the version that runs from the next turn on.',
    description: `A draft with faults is 422, with all of them in \`issues\`. What runs already is published as it is: nothing changes. ${aboutVersions}`,
    body: z.object({ revision: isRevision }),
    response: AppVersion,
    errors: [409, 422],
  }),
  listAppVersions: route({
    method: 'get',
    path: '/:appId/versions',
    access,
    summary: 'List the versions.',
    query: pageQueryBy(z.string().regex(/^\d{1,10}$/)),
    response: z.array(AppVersionSummary),
    paged: true,
  }),
  getAppVersion: route({
    method: 'get',
    path: '/:appId/versions/:version',
    access,
    summary: 'Get a version.',
    params: { version: versionInPath },
    response: AppVersion,
  }),
  rollbackApp: route({
    method: 'post',
    path: '/:appId/rollback',
    access,
    summary: 'Publish an earlier version anew. The draft stays.',
    description:
      'What the version refers to has to be there still: otherwise it is 422, with `issues`. The version that runs stays as it is.',
    body: z.object({ version: versionNumber }),
    response: AppVersion,
    errors: [422],
  }),
};
