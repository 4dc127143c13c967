// The page that is shown while there is no build of the console. It has its style in a file of its
// own, because the policy of the pages forbids inline code.

import type { Exchange } from "../http/exchange.ts";
import { pageHeaders } from "./page-headers.ts";
import type { SiteState } from "./site.ts";

/** Below /console/. No file of the build has this name. */
export const stateStylePath = "-/state.css";

export function sendStatePage(
  exchange: Exchange,
  state: Exclude<SiteState, { readonly kind: "ready" }>,
): void {
  const { status, title, text, detail = "", refresh = false } = contentOf(state);
  const html = [
    "<!doctype html>",
    '<html lang="en">',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width">',
    ...(refresh ? ['<meta http-equiv="refresh" content="1">'] : []),
    `<link rel="stylesheet" href="/console/${stateStylePath}">`,
    `<title>${title} · Setpoint</title>`,
    `<main><h1>${title}</h1><p role="status">${text}</p>`,
    ...(detail === "" ? [] : [`<pre>${escaped(detail)}</pre>`]),
    "</main>",
    "</html>",
    "",
  ].join("\n");
  const headers = { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" };
  exchange.send(status, { ...pageHeaders, ...headers }, html);
}

export function sendStateStyle(exchange: Exchange): void {
  const headers = { "content-type": "text/css; charset=utf-8", "cache-control": "no-cache" };
  exchange.send(200, { ...pageHeaders, ...headers }, style);
}

interface Content {
  readonly status: number;
  readonly title: string;
  readonly text: string;
  readonly detail?: string;
  readonly refresh?: boolean;
}

function contentOf(state: Exclude<SiteState, { readonly kind: "ready" }>): Content {
  switch (state.kind) {
    case "building":
      return {
        status: 200,
        title: "Building the console",
        text: "This takes a few seconds. The page loads again by itself.",
        refresh: true,
      };
    case "failed":
      return {
        status: 500,
        title: "The console was not built",
        text: "Correct the error and load this page again. The API works without the console.",
        detail: state.reason,
      };
    case "absent":
      return {
        status: 404,
        title: "This installation has no console",
        text: "It contains neither the built console nor its sources. The API works without it.",
      };
    default:
      return state satisfies never;
  }
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

const style = `:root { color-scheme: light dark; }
:root { --bg: #f4f8f8; --text: #122026; --accent: #006977; }
@media (prefers-color-scheme: dark) {
  :root { --bg: #0c1417; --text: #e4ebec; --accent: #65d8e4; }
}
body { margin: 0; background: var(--bg); color: var(--text); }
body { font: 16px/24px system-ui, sans-serif; }
main { max-width: 640px; margin: 20vh auto 0; padding: 0 24px; }
h1 { font-size: 24px; line-height: 32px; font-weight: 600; }
h1 { border-left: 3px solid var(--accent); padding-left: 12px; }
pre { overflow-x: auto; white-space: pre-wrap; font-size: 13px; line-height: 18px; }
`;
