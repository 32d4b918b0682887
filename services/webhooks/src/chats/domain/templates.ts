import type {
  fillTemplate as fillRequest,
  listTemplates as listRequest,
} from '@botyard/contracts/events/webhook-templates';
import { platformDefinitions } from '@botyard/contracts/http/platform';
import { cleanParameter, fillGaps, templateLimits } from '@botyard/contracts/template-text';
import type { z } from 'zod';
import type { TemplatesOfChat } from '../../platforms/domain/templates.ts';
import type { Deps } from '../deps.ts';

const none: TemplatesOfChat = { isWindowOpen: true, templates: [], unavailable: [] };

/** Messages of the bus hold 1 MB. */
const maxBytes = 700 * 1024;

/** The templates for a chat whose name or body has this text, as many as fit into one response. */
export async function listTemplates(
  { platforms }: Pick<Deps, 'platforms'>,
  { platform, q = '', ...chat }: z.output<typeof listRequest.request>,
): Promise<z.input<typeof listRequest.response>> {
  const list = (await platforms[platform].templates?.list(chat)) ?? none;
  const wanted = q.toLowerCase();
  const contains = (text: string): boolean => text.toLowerCase().includes(wanted);
  const templates = list.templates.filter(({ name, body }) => contains(name) || contains(body));
  const unavailable = list.unavailable.filter(({ name }) => contains(name));
  let bytes = 0;
  const fits = (one: object): boolean => {
    bytes += Buffer.byteLength(JSON.stringify(one));
    return bytes <= maxBytes;
  };
  const shown = templates.filter(fits);
  const shownUnavailable = unavailable.filter(fits);
  return {
    isWindowOpen: list.isWindowOpen,
    templates: shown,
    unavailable: shownUnavailable,
    isCut: shown.length + shownUnavailable.length < templates.length + unavailable.length,
  };
}

/** A template of a chat with the texts for its gaps, or why it can't be sent. */
export async function fillTemplate(
  { platforms }: Pick<Deps, 'platforms'>,
  { platform, name, language, parameters, ...chat }: z.output<typeof fillRequest.request>,
): Promise<z.input<typeof fillRequest.response>> {
  const adapter = platforms[platform].templates;
  if (!adapter) return refused('name', `${platformDefinitions[platform].title} has no templates`);
  const isWanted = (one: { name: string; language: string }) =>
    one.name === name && one.language === language;
  const { templates, unavailable } = await adapter.list(chat);
  const template = templates.find(isWanted);
  if (!template)
    return refused('name', unavailable.find(isWanted)?.reason ?? 'no template has this name and language');
  const gaps = template.parameters;
  if (parameters.length !== gaps.length)
    return refused('parameters', `the template has ${gaps.length} gaps, not ${parameters.length}`);
  const filled = gaps.map((gap, index) => ({ name: gap.name, text: cleanParameter(parameters[index]!) }));
  const issues = filled.flatMap(({ text }, index) => issueOf(text, index));
  if (issues.length > 0) return { outcome: 'refused', issues };
  const text = fillGaps(template.body, new Map(filled.map((one) => [one.name, one.text])));
  if (text.length > templateLimits.textUnits)
    return refused('parameters', `the text is longer than ${templateLimits.textUnits} characters with them`);
  return { outcome: 'filled', text, template: { name, language, parameters: filled } };
}

const refused = (path: string, message: string) => ({
  outcome: 'refused' as const,
  issues: [{ path, message }],
});

function issueOf(text: string, index: number): { path: string; message: string }[] {
  const path = `parameters.${index}`;
  if (text === '') return [{ path, message: 'must not be empty' }];
  const { parameterUnits } = templateLimits;
  return text.length > parameterUnits
    ? [{ path, message: `must have at most ${parameterUnits} characters` }]
    : [];
}
