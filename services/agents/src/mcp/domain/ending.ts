/** The end of a sign-in, which a page shows to the person. */
export type Ending =
  | { ending: 'signed in' | 'cancelled' | 'changed' | 'not allowed'; serverId: string }
  | { ending: 'refused' | 'no answer'; serverId: string; reason: string }
  /** A person has to send the code in their chat with the bot. */
  | { ending: 'to confirm'; code: string; bot: string; person: string; server: string }
  /** The link by which a person came has ended. */
  | { ending: 'link over' }
  | { ending: 'link refused'; reason: string }
  /** It was not begun in this browser, or it is over. */
  | { ending: 'unknown' }
  | { ending: 'unreadable' };
