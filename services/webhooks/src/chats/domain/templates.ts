import type { listTemplates as listRequest } from '@botyard/contracts/events/webhook-templates';
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
