/**
 * The platforms that a bot can be connected to, as the API names them (`integrationType`). Pages import it, so it has
 * no zod.
 */
export const platformNames = ['messenger', 'email', 'webchat', 'slack', 'whatsapp'] as const;

/**
 * The platform where none is named: in events of version 0.1.0, and at an integration that was deleted before it was
 * known.
 */
export const unnamedPlatform: (typeof platformNames)[number] = 'messenger';
