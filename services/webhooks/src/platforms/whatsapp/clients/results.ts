import { z } from 'zod';

const text = z.string().catch('');

/** A message counts as sent even if the answer has no identifier. */
export const SentMessage = z
  .object({ messages: z.array(z.object({ id: z.string() })).min(1) })
  .transform(({ messages: [message] }) => ({ platformMessageId: message?.id }))
  .catch({ platformMessageId: undefined });

export const UploadedMedia = z.object({ id: z.string() }).transform(({ id: mediaId }) => ({ mediaId }));

export const Success = z.object({ success: z.literal(true) }).transform(() => true as const);

/** A phone number of a business. */
export const BusinessNumber = z
  .object({
    id: z.string(),
    display_phone_number: text,
    quality_rating: text,
    webhook_configuration: z.object({ phone_number: text }).catch({ phone_number: '' }),
  })
  .transform(({ display_phone_number, quality_rating: quality, webhook_configuration }) => ({
    /** As people read it, `+49 30 901820`. */
    displayNumber: display_phone_number,
    quality,
    /** The number's own address for deliveries. */
    callbackUrl: webhook_configuration.phone_number,
  }));
export type BusinessNumber = z.output<typeof BusinessNumber>;

const listOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ data: z.array(item) }).transform(({ data }) => data);

export const NumberIds = listOf(z.object({ id: text }).transform(({ id }) => id));

/** The addresses to which apps of an account have its deliveries sent; empty for an app's usual one. */
export const CallbackUrls = listOf(
  z.object({ override_callback_uri: text }).transform(({ override_callback_uri: url }) => url),
);

/** A file of the platform. Its address is valid for five minutes. */
export const PlatformMedia = z
  .object({ url: z.url(), file_size: z.coerce.number().catch(0) })
  .transform(({ url, file_size: sizeBytes }) => ({ url, sizeBytes }));

const PlatformTemplate = z
  .object({
    name: z.string(),
    language: z.string(),
    /** `APPROVED`, `PENDING`, `REJECTED`, `PAUSED`, … */
    status: text,
    category: text,
    parameter_format: text,
    components: z.array(z.record(z.string(), z.unknown())).catch([]),
  })
  // Its gaps have numbers or names.
  .transform(({ parameter_format: format, ...template }) => ({ ...template, isNamed: format === 'NAMED' }));
export type PlatformTemplate = z.output<typeof PlatformTemplate>;

/** Templates, and where the next page begins. */
export const TemplatePage = z
  .object({
    data: z.array(PlatformTemplate),
    paging: z
      .object({ cursors: z.object({ after: z.string() }).partial().optional(), next: z.string().optional() })
      .optional()
      .catch(undefined),
  })
  .transform(({ data: templates, paging }) => ({
    templates,
    after: paging?.next ? paging.cursors?.after : undefined,
  }));
