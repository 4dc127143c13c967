// Opens the console in Chromium as users do: with a link that works once.
import type { Browser } from "playwright-core";
import { pickText } from "../kube/server.ts";
import type { KubeServer } from "../kube/server.ts";
import { openTab } from "../peers/chromium.ts";
import type { Tab, TabOptions } from "../peers/chromium.ts";
import { waitUntil } from "../peers/wait.ts";

/** A tab of a new user agent, signed in as the administrator, at a page below /console. */
export async function openSignedIn(
  browser: Browser,
  server: Pick<KubeServer, "request">,
  { path = "/", ...options }: TabOptions & { readonly path?: string } = {},
): Promise<Tab> {
  const isBuilt = async (): Promise<boolean> =>
    (await server.request("GET", "/console/")).text.includes("/console/assets/");
  await waitUntil("the build of the console", isBuilt);
  const { json } = await server.request("POST", "/console/api/links", {});
  const link = new URL(pickText(json, "url"));
  link.searchParams.set("next", `/console${path}`);
  const tab = await openTab(browser, options);
  await tab.page.goto(link.href);
  return tab;
}
