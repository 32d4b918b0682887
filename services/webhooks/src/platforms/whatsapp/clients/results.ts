import { z } from 'zod';

/** A phone number of a business. */
export interface BusinessNumber {
  id: string;
  /** As people read it, `+49 30 901820`. */
  displayNumber: string;
  name: string;
  quality: string;
  /** The addresses for deliveries: the number's own, the account's, and the app's. */
  callbacks: { number: string; account: string; app: string };
}

export interface SubscribedApp {
  id: string;
  callbackUrl: string;
}

/** A file of the platform. Its address is valid for five minutes. */
export interface PlatformMedia {
  url: string;
  sizeBytes: number;
}

export interface PlatformTemplate {
  name: string;
  language: string;
  /** `APPROVED`, `PENDING`, `REJECTED`, `PAUSED`, … */
  status: string;
  category: string;
  /** Whether its gaps have numbers or names. */
  isNamed: boolean;
  components: readonly Readonly<Record<string, unknown>>[];
}

export interface TemplatePage {
  templates: PlatformTemplate[];
  /** Where the next page begins. */
  after: string | undefined;
}

const text = z.string().catch('');

/** A message counts as sent even if the answer has no identifier. */
export function readId(body: unknown): { platformMessageId: string | undefined } | undefined {
  const sent = z.object({ messages: z.array(z.object({ id: z.string() })).min(1) }).safeParse(body);
  return { platformMessageId: sent.success ? sent.data.messages[0]?.id : undefined };
}

export function readUploaded(body: unknown): { mediaId: string } | undefined {
  const read = z.object({ id: z.string() }).safeParse(body);
  return read.success ? { mediaId: read.data.id } : undefined;
}

export const readSuccess = (body: unknown): true | undefined =>
  z.object({ success: z.literal(true) }).safeParse(body).success ? true : undefined;

const NumberFields = z.object({
  id: z.string(),
  display_phone_number: text,
  verified_name: text,
  quality_rating: text,
  webhook_configuration: z
    .object({ phone_number: text, whatsapp_business_account: text, application: text })
    .catch({ phone_number: '', whatsapp_business_account: '', application: '' }),
});

export function readNumber(body: unknown): BusinessNumber | undefined {
  const read = NumberFields.safeParse(body);
  if (!read.success) return undefined;
  const { id, display_phone_number: displayNumber, verified_name: name, quality_rating: quality } = read.data;
  const {
    phone_number: number,
    whatsapp_business_account: account,
    application: app,
  } = read.data.webhook_configuration;
  return { id, displayNumber, name, quality, callbacks: { number, account, app } };
}

const Listed = z.object({
  data: z.array(
    z.object({
      id: text,
      whatsapp_business_api_data: z.object({ id: text }).optional().catch(undefined),
      override_callback_uri: text,
    }),
  ),
});

/** Apps of an account, or other objects of which only the identifier counts. */
export function readApps(body: unknown): SubscribedApp[] | undefined {
  const read = Listed.safeParse(body);
  return read.success
    ? read.data.data.map(({ id, whatsapp_business_api_data: app, override_callback_uri: callbackUrl }) => ({
        id: app?.id ?? id,
        callbackUrl,
      }))
    : undefined;
}

const Media = z.object({ url: z.url(), file_size: z.coerce.number().catch(0) });

export function readMedia(body: unknown): PlatformMedia | undefined {
  const read = Media.safeParse(body);
  return read.success ? { url: read.data.url, sizeBytes: read.data.file_size } : undefined;
}

const Templates = z.object({
  data: z.array(
    z.object({
      name: z.string(),
      language: z.string(),
      status: text,
      category: text,
      parameter_format: text,
      components: z.array(z.record(z.string(), z.unknown())).catch([]),
    }),
  ),
  paging: z
    .object({ cursors: z.object({ after: z.string() }).partial().optional(), next: z.string().optional() })
    .optional()
    .catch(undefined),
});

export function readTemplates(body: unknown): TemplatePage | undefined {
  const read = Templates.safeParse(body);
  if (!read.success) return undefined;
  const { data, paging } = read.data;
  const templates = data.map(({ parameter_format: format, ...template }) => ({
    ...template,
    isNamed: format === 'NAMED',
  }));
  return { templates, after: paging?.next ? paging.cursors?.after : undefined };
}
