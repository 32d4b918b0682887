import { platformDefinitions } from '@botyard/contracts/http/platform';
import { platformNames } from '@botyard/contracts/platform-names';
import type { FormField, PlatformDefinition, SettingFields } from '@botyard/contracts/platforms/definition';
import type { Plugin } from 'vite';
import type { PlatformField, PlatformForm } from '../src/pages/channels/platform-form.ts';

const id = 'virtual:platforms';
/** Only their names, for pages that shouldn't load the forms. */
const titlesId = 'virtual:platform-titles';

/** The platforms' forms as data: made of their definitions here, so that browsers need no schemas. */
export const platformForms = (): Plugin => ({
  name: 'platform-forms',
  resolveId: (wanted) => (wanted === id || wanted === titlesId ? `\0${wanted}` : undefined),
  load: (wanted) => {
    if (wanted === `\0${id}`) return `export const platforms = ${JSON.stringify(readForms())}`;
    if (wanted === `\0${titlesId}`) return `export const platformTitles = ${JSON.stringify(readTitles())}`;
    return undefined;
  },
});

const readTitles = (): Record<string, string> =>
  Object.fromEntries(platformNames.map((name) => [name, platformDefinitions[name].title]));

export const readForms = (): PlatformForm[] =>
  platformNames.map((name) => {
    const definition = platformDefinitions[name];
    const { title, icon, about, setUp, previewPath, installs = false, registersWebhook } = definition;
    return {
      name,
      title,
      icon,
      about,
      setUp,
      ...(previewPath === undefined ? {} : { previewPath }),
      installs,
      registersWebhook,
      fields: [
        ...fieldsOf(definition, 'credentials', definition.credentials),
        ...fieldsOf(definition, 'settings', definition.settings),
      ],
    };
  });

type Shape = { type?: string; enum?: string[]; anyOf?: Shape[] };

function fieldsOf(
  { form, shownWhole }: PlatformDefinition,
  part: PlatformField['part'],
  schema: SettingFields,
): PlatformField[] {
  const { properties = {}, required = [] } = schema.toJSONSchema({
    io: 'input',
    unrepresentable: 'any',
  });
  return Object.entries(properties).map(([name, shape]) => {
    const { label, help, choices } = form[name] as FormField;
    return {
      name,
      part,
      label,
      ...(help === undefined ? {} : { help }),
      ...(choices === undefined ? {} : { choices }),
      kind: kindOf(shape as Shape, shownWhole.includes(name)),
      isRequired: required.includes(name),
    };
  });
}

function kindOf(shape: Shape, isShownWhole: boolean): PlatformField['kind'] {
  const { type, enum: choices } = shape.anyOf?.[0] ?? shape;
  if (choices) return 'choice';
  if (type === 'array') return 'list';
  if (type === 'object') return 'object';
  return isShownWhole ? 'text' : 'secret';
}
