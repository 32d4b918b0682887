/**
 * The platforms that a bot can be connected to, as the API names them (`integrationType`). Pages import it, so it has
 * no zod.
 */
export const platformNames = ['messenger', 'email', 'webchat', 'slack', 'whatsapp'] as const;
