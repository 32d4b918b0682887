import type { AppTemplate } from '@botyard/contracts/http/apps-admin';
import { found } from '@botyard/shared/db/rows';
import { appointments } from './appointments.ts';
import { faq } from './faq.ts';
import { supportDesk } from './support-desk.ts';
import type { Template } from './template.ts';

export const templates: readonly Template[] = [supportDesk, faq, appointments];

/** @throws HttpError 404. */
export const requireTemplate = (templateId: string): Template =>
  found(
    templates.find((one) => one.templateId === templateId),
    'template',
  );

/** A template for display; lists omit some fields. */
export function toTemplate({ spec, ...template }: Template): AppTemplate {
  return {
    ...template,
    spec: { ...spec },
    recordTypes: (spec.recordTypes ?? []).map(({ name }) => name),
    commands: (spec.routes ?? []).flatMap(({ when }) => (when.match === 'command' ? when.command : [])),
  };
}
