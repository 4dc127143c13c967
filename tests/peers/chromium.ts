// Debian's Chromium, driven by playwright-core, which downloads no browser. Each tab records what a
// page must never do: requests to other hosts, refusals of the Content-Security-Policy, and errors.
import axe from "axe-core";
import { chromium } from "playwright-core";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { findChromium } from "../../tools/peers.ts";

export interface TabOptions {
  readonly width?: number;
  readonly height?: number;
  readonly theme?: "light" | "dark";
}

export interface Tab extends AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  /** The origins of all requests, besides those of data in the page. */
  readonly origins: ReadonlySet<string>;
  /** Uncaught errors, and what the console of the browser reports as an error. */
  readonly errors: readonly string[];
}

/** Long, because other tests may use the machine at the same time. */
const limitMs = 60_000;

export async function startChromium(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error("no Chromium here: run `npm run peers`");
  // The sandbox of Chromium does not work for root, as whom containers run the tests.
  const args = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"];
  return await chromium.launch({ executablePath, args, timeout: limitMs });
}

/** A tab in a context of its own, which shares no cookies with other contexts. */
export async function openTab(browser: Browser, options: TabOptions = {}): Promise<Tab> {
  const { width = 1440, height = 900, theme = "light" } = options;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    ignoreHTTPSErrors: true,
    reducedMotion: "reduce",
  });
  context.setDefaultTimeout(limitMs);
  const origins = new Set<string>();
  const errors: string[] = [];
  context.on("request", (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol.startsWith("http")) origins.add(origin);
  });
  context.on("weberror", (error) => void errors.push(String(error.error())));
  context.on("console", (message) => {
    if (message.type() !== "error") return;
    errors.push(`${message.text()} (${message.location().url})`);
  });
  const page = await context.newPage();
  return { page, context, origins, errors, [Symbol.asyncDispose]: () => context.close() };
}

/** What axe finds in the page that keeps users from it: `rule: selector`, a line for each. */
export async function seriousFindings(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  return await page.evaluate(async () => {
    const { axe: own } = globalThis as unknown as { readonly axe: typeof axe };
    const { violations } = await own.run({ resultTypes: ["violations"] });
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(" ")}`));
  });
}
