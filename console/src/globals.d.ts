/** The parts of the identity provider's browser library that the console uses. */
interface IdentityProviderLibrary {
  load(): Promise<void>;
  session?: { id: string; getToken(): Promise<string | null> } | null;
  mountSignIn(place: HTMLElement): void;
  addListener(changed: () => void): () => void;
  signOut(): Promise<void>;
}

/** The parts of Trusted Types that the console uses. Not every browser supports them. */
interface TrustedTypes {
  readonly defaultPolicy: object | null;
  createPolicy(name: string, rules: { createScriptURL(address: string): string | null }): object;
}

interface Window {
  trustedTypes?: TrustedTypes;
  Clerk?: IdentityProviderLibrary;
}

interface WindowEventMap {
  /** A file of the code, or what it imports, can't be loaded. */
  'vite:preloadError': Event & { payload: Error };
}
