import recorded from './bus-version.json' with { type: 'json' };

/**
 * Number of what this release expects of streams and consumers. `npm run generate` raises it when a subscription or a
 * setting changes, so that of two processes side by side each knows which is the newer one.
 */
export const busVersion: number = recorded.version;

const key = 'botyard_version';

/** Metadata beside the settings of a stream or a consumer. */
export const versionMetadata = (version: number): Record<string, string> => ({ [key]: String(version) });

/** The version that updated it last; 0 for one older than version metadata. */
export const versionOf = (metadata: Record<string, string> | undefined): number =>
  Number(metadata?.[key] ?? 0) || 0;
