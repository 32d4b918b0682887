import recorded from './bus-version.json' with { type: 'json' };

/**
 * Version of the streams and consumers that this release expects. `npm run generate` raises it when a subscription or
 * a setting changes, so that processes of two releases side by side know which one is newer.
 */
export const busVersion: number = recorded.version;

const key = 'botyard_version';

/** Metadata beside the settings of a stream or a consumer. */
export const versionMetadata = (version: number): Record<string, string> => ({ [key]: String(version) });

/** The version that last updated a stream or consumer; 0 if it is older than version metadata. */
export const versionOf = (metadata: Record<string, string> | undefined): number =>
  Number(metadata?.[key] ?? 0) || 0;
