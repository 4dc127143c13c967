// The answers of the paths that a browser opens to sign in.

import type { Headers } from "../http/exchange.ts";
import type { ConsoleCall } from "./console-ports.ts";
import { pageHeaders } from "./page-headers.ts";

/** `reason` is a word that the page explains. */
export function sendToSignIn(
  call: ConsoleCall,
  reason: string,
  next: string,
  ...cookies: readonly string[]
): void {
  const query = new URLSearchParams({ reason, ...(next === "/console/" ? {} : { next }) });
  redirect(call, `/console/sign-in?${query.toString()}`, ...cookies);
}

export function redirect(
  { exchange }: ConsoleCall,
  location: string,
  ...cookies: readonly string[]
): void {
  const headers: Headers = { ...pageHeaders, location, "cache-control": "no-store" };
  exchange.send(303, cookies.length === 0 ? headers : { ...headers, "set-cookie": cookies });
}
