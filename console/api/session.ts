// Who is signed in. The session is a cookie that this code cannot read; the server says whose.

import { effect, signal } from "@preact/signals";
import { request, signedOut } from "./client.ts";
import { ApiError } from "./errors.ts";
import { base } from "../paths.ts";

export interface Session {
  readonly user: string;
  readonly groups: readonly string[];
  readonly method: string;
  readonly expiresAt?: string;
  readonly server: {
    readonly name: string;
    readonly version: string;
    readonly revision?: string | number;
  };
}

export interface SignInMethods {
  readonly methods: readonly string[];
  readonly issuers: readonly { readonly name: string }[];
}

export type SessionState =
  | { readonly kind: "unknown" }
  | { readonly kind: "signed-in"; readonly session: Session }
  | { readonly kind: "signed-out"; readonly offers: SignInMethods }
  | { readonly kind: "unreachable"; readonly error: Error };

export const session = signal<SessionState>({ kind: "unknown" });

const path = `${base}/api/session`;
const noOffers: SignInMethods = { methods: ["link", "token"], issuers: [] };

/** A session that ended while the console was open leads to the sign-in page. */
export function watchSession(): void {
  effect(() => {
    if (signedOut.value > 0 && session.peek().kind === "signed-in") void readSession();
  });
}

export async function readSession(): Promise<void> {
  try {
    const response = await fetch(path, { credentials: "same-origin" });
    if (response.ok) {
      session.value = { kind: "signed-in", session: (await response.json()) as Session };
    } else if (response.status === 401) {
      const offers = (await response.json()) as Partial<SignInMethods>;
      session.value = { kind: "signed-out", offers: { ...noOffers, ...offers } };
    } else {
      throw new ApiError({
        status: response.status,
        code: String(response.status),
        message: `The server answered ${response.status}.`,
      });
    }
  } catch (error) {
    const why = error instanceof Error ? error : new Error(String(error));
    session.value = { kind: "unreachable", error: why };
  }
}

export async function signInWithToken(token: string): Promise<void> {
  await request(path, { method: "POST", body: { token } });
  await readSession();
}

export async function signOut(): Promise<void> {
  await request(path, { method: "DELETE" });
  await readSession();
}

/** The start of a sign-in at an OpenID provider: the server redirects there and back. */
export function oidcStart(issuer: string, next: string): string {
  return `${base}/oidc/start?${new URLSearchParams({ issuer, next }).toString()}`;
}
