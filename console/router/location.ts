// The address bar as a signal. A page is a function of it: filter, tab, revision and dialog are in
// the URL, so reload and Back show the same. Typing replaces the entry, everything else adds one.

import { signal } from "@preact/signals";
import { base } from "../paths.ts";

export interface Place {
  /** Without the base and the query: "/x/configmaps". */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly href: string;
}

export const place = signal<Place>(readPlace());

export function navigate(href: string, { replace = false }: { replace?: boolean } = {}): void {
  if (href === place.peek().href) return;
  const before = place.peek().path;
  if (replace) history.replaceState(undefined, "", href);
  else history.pushState(undefined, "", href);
  place.value = readPlace();
  if (place.peek().path !== before && !replace) window.scrollTo(0, 0);
}

/** Links of the console change the page without loading it again. */
export function followLinks(): void {
  window.addEventListener("popstate", () => {
    place.value = readPlace();
  });
  document.addEventListener("click", (event) => {
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey;
    if (!isPlain || event.altKey || event.defaultPrevented) return;
    const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
    if (!(link instanceof HTMLAnchorElement) || link.target !== "" || link.download !== "") return;
    const url = new URL(link.href);
    if (url.origin !== window.location.origin || !isOwn(url.pathname)) return;
    event.preventDefault();
    navigate(url.pathname + url.search);
  });
}

/** The routes of the server below the same path are loaded by the browser. */
const served = [`${base}/link`, `${base}/oidc/`, `${base}/api/`];

function isOwn(pathname: string): boolean {
  if (served.some((prefix) => pathname.startsWith(prefix))) return false;
  return pathname === base || pathname.startsWith(`${base}/`);
}

function readPlace(): Place {
  // In unit tests there is no address bar.
  if (typeof window === "undefined") return { path: "/", query: new URLSearchParams(), href: "" };
  const { pathname, search } = window.location;
  const path = pathname.startsWith(base) ? pathname.slice(base.length) : pathname;
  return { path: path || "/", query: new URLSearchParams(search), href: pathname + search };
}
