import { z } from 'zod';
import { AppSpec, maxSpecBytes } from './app-spec.ts';
import { versionNumber } from './apps.ts';
import { id, moment, versionInPath } from './common.ts';
import { admin } from './contract.ts';
import { pageQueryBy } from './page.ts';

const revision = z.int().positive();

export const AppDraft = z
  .object({
    appId: id,
    spec: z.unknown().describe('The draft as it was last saved. It may be invalid.'),
    revision: revision.describe('Revision number, which increases with every change of the draft.'),
    updatedAt: moment,
  })
  .meta({
    id: 'AppDraft',
    description: 'The spec of an app while it is being edited. It has no effect until it is published.',
  });
export type AppDraft = z.input<typeof AppDraft>;

const isRevision = revision
  .optional()
  .describe('The revision that the caller last read. Returns 409 if the draft has changed since.');

export const SpecFaults = z
  .object({
    isValid: z.boolean().describe('Whether the draft can be published.'),
    faults: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .describe('The faults, at most 500, with paths such as `routes.2.agent`.'),
    revision: revision.describe('The revision of the draft that was checked.'),
  })
  .meta({ id: 'SpecFaults', description: 'The faults that prevent a draft from being published.' });
export type SpecFaults = z.input<typeof SpecFaults>;

const versionFields = {
  appId: id,
  version: versionNumber,
  origin: z.enum(['publish', 'rollback', 'install', 'migration']),
  rolledBackTo: versionNumber
    .nullable()
    .describe(
      'The earlier version whose spec was published again; `null` unless the version was created by a rollback.',
    ),
  isCurrent: z.boolean(),
  publishedAt: moment,
};
const AppVersionSummary = z
  .object(versionFields)
  .meta({ id: 'AppVersionSummary', description: 'A published version of an app, without its spec.' });
export const AppVersion = z
  .object({ ...versionFields, spec: AppSpec })
  .meta({ id: 'AppVersion', description: 'A published version of an app, with its spec.' });
export type AppVersion = z.input<typeof AppVersion>;

const aboutVersions = 'Versions never change. The latest 100 are kept.';

/** The routes of `/api/admin/apps` for specs. */
export const appSpecRoutes = {
  getAppDraft: admin.get('/:appId/draft', { summary: 'Get the draft of the spec.', response: AppDraft }),
  updateAppDraft: admin.put('/:appId/draft', {
    summary: 'Replace the draft. An invalid draft is accepted; it has no effect until it is published.',
    body: z.object({
      spec: z
        .record(z.string(), z.unknown())
        .describe('The complete draft. To be published, it must be a valid `AppSpec`.'),
      revision: isRevision,
    }),
    maxBodyBytes: maxSpecBytes + 4096,
    response: AppDraft,
    errors: [409],
  }),
  validateAppDraft: admin.post('/:appId/draft/validate', {
    summary: 'Check the draft and list the faults that prevent it from being published.',
    response: SpecFaults,
  }),
  publishApp: admin.post('/:appId/publish', {
    summary: 'Publish the draft as the running version, effective from the next turn.',
    description: `Returns 422 with all faults in \`issues\` if the draft is invalid. Publishing a draft that equals the running version changes nothing. ${aboutVersions}`,
    body: z.object({ revision: isRevision }),
    response: AppVersion,
    errors: [409, 422],
  }),
  listAppVersions: admin.list('/:appId/versions', {
    summary: 'List the versions of an app.',
    query: pageQueryBy(z.string().regex(/^\d{1,10}$/)),
    response: z.array(AppVersionSummary),
  }),
  getAppVersion: admin.get('/:appId/versions/:version', {
    summary: 'Get a version of an app with its spec.',
    params: { version: versionInPath },
    response: AppVersion,
  }),
  rollbackApp: admin.post('/:appId/rollback', {
    summary: 'Roll back by publishing an earlier version again. The draft is unchanged.',
    description:
      'Returns 422 with `issues` if something that the version refers to no longer exists. The running version ' +
      'is then unchanged.',
    body: z.object({ version: versionNumber }),
    response: AppVersion,
    errors: [422],
  }),
};
