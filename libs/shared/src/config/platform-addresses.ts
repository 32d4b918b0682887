import { httpAddressWithout } from './config.ts';

/** The Bot API's address ends before `/bot` and a token, which also must not be shown with the settings. */
export const messengerAddress = httpAddressWithout(/(?:\/file)?\/bot[^/]*(?:\/.*)?$/);

/** The origin that platforms are told; the paths beneath it are ours. */
export const webhookOrigin = httpAddressWithout(/\/webhooks(?:\/.*)?$/);
