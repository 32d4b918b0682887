/** The browser library of the identity provider, as far as the console uses it. */
interface IdentityProviderLibrary {
  load(): Promise<void>;
  session?: { getToken(): Promise<string | null> } | null;
  mountSignIn(place: HTMLElement): void;
  addListener(changed: () => void): () => void;
  signOut(): Promise<void>;
}

interface Window {
  Clerk?: IdentityProviderLibrary;
}
