/** The browser library of the identity provider, as far as the console uses it. */
interface IdentityProviderLibrary {
  load(): Promise<void>;
  session?: { id: string; getToken(): Promise<string | null> } | null;
  mountSignIn(place: HTMLElement): void;
  addListener(changed: () => void): () => void;
  signOut(): Promise<void>;
}

/** Trusted Types, as far as the console uses them; not every browser has them. */
interface TrustedTypes {
  readonly defaultPolicy: object | null;
  createPolicy(name: string, rules: { createScriptURL(address: string): string | null }): object;
}

interface Window {
  trustedTypes?: TrustedTypes;
  Clerk?: IdentityProviderLibrary;
}
