// The pages of the Resource Manager in Chromium: from a subscription to why one of its resources
// failed, and the operations that were accepted.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Browser } from "playwright-core";
import { startKubeServer } from "../kube/server.ts";
import type { KubeServer } from "../kube/server.ts";
import { seriousFindings, startChromium } from "../peers/chromium.ts";
import type { Tab } from "../peers/chromium.ts";
import { openSignedIn } from "./signed-in.ts";

const bakery = join(import.meta.dirname, "..", "..", "examples", "bakery", "bakery.ts");
const subscription = "11111111-2222-3333-4444-555555555555";
const warned = "22222222-2222-3333-4444-555555555555";
const ovens = (group: string): string =>
  `/subscriptions/${subscription}/resourceGroups/${group}/providers/Example.Bakery/ovens`;

describe("providers in the console", () => {
  let browser: Browser;
  let server: KubeServer;
  const put = async (path: string, version: string, body: unknown): Promise<void> => {
    const { status, text } = await server.request("PUT", `${path}?api-version=${version}`, body);
    assert.ok(status === 200 || status === 201, text);
  };
  const oven = async (group: string, name: string, degrees = 180): Promise<void> => {
    const body = { location: "westeurope", properties: { city: "ghent", degrees } };
    await put(`${ovens(group)}/${name}`, "2026-01-01", body);
  };

  before(async () => {
    [browser, server] = await Promise.all([
      startChromium(),
      startKubeServer({ consoleListen: "127.0.0.1:0", module: [bakery] }),
    ]);
    await put(`/subscriptions/${subscription}`, "2.0", { state: "Registered" });
    await put(`/subscriptions/${warned}`, "2.0", { state: "Warned" });
    await oven("shop", "one");
    await oven("shop", "hot", 290);
    await oven("Kitchen", "two");
  });

  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  const open = async (path: string): Promise<Tab> => await openSignedIn(browser, server, { path });
  const checkQuiet = async (tab: Tab): Promise<void> => {
    assert.deepEqual(await seriousFindings(tab.page), []);
    assert.deepEqual([...tab.origins], [server.loopback]);
    assert.deepEqual(tab.errors, []);
  };

  it("a failed resource is first in its subscription, and the Explorer explains it", async () => {
    await using tab = await open("/providers");
    const { page } = tab;
    await page.getByRole("heading", { level: 1, name: "2 subscriptions" }).waitFor();
    const providers = page.getByRole("region", { name: "Providers" });
    await providers.getByText("Example.Bakery").waitFor();
    await providers.getByText("ovens", { exact: true }).waitFor();
    await page.getByRole("row", { name: new RegExp(`Warned ${warned}`) }).waitFor();
    await page.getByRole("img", { name: "1 Failed, 2 Ready" }).waitFor();
    await checkQuiet(tab);
    await page.getByRole("link", { name: subscription }).click();
    const first = page.getByRole("row").nth(1);
    await first.filter({ hasText: "Bricks melt." }).waitFor();
    await checkQuiet(tab);
    await page.getByRole("link", { name: "hot", exact: true }).click();
    await page.waitForURL(/\/x\/ovens\.bakery\.example\/sub-/);
    await page.getByText("bricks melt").first().waitFor();
  });

  it("a group is chosen by its link, and a new resource of it appears", async () => {
    await using tab = await open(`/providers/${subscription}`);
    const { page } = tab;
    await page.getByRole("link", { name: "Kitchen 1" }).click();
    await page.waitForURL(/group=kitchen/);
    await page.getByRole("row", { name: /hot/ }).waitFor({ state: "detached" });
    await oven("kitchen", "late");
    await page.getByRole("row", { name: /late/ }).waitFor();
    await page.getByRole("link", { name: "Kitchen 2" }).waitFor();
    await checkQuiet(tab);
  });

  it("operations have their state, and the newest is first", async () => {
    await using tab = await open(`/providers/${subscription}/operations`);
    const { page } = tab;
    await page.getByRole("row", { name: /Failed create hot/ }).waitFor();
    await page.getByRole("row", { name: /Succeeded create one/ }).waitFor();
    await checkQuiet(tab);
    await page.getByRole("combobox", { name: "Filter operations" }).fill("columns.state=Failed");
    await page
      .getByRole("row", { name: /Succeeded/ })
      .first()
      .waitFor({ state: "detached" });
    await page
      .getByRole("row", { name: /Failed create hot/ })
      .getByRole("link")
      .click();
    await page.waitForURL(/\/x\/operations\.arm\.setpoint\.dev\//);
  });

  it("a subscription that may not be changed says what it allows", async () => {
    await using tab = await open(`/providers/${warned}`);
    const { page } = tab;
    await page.getByText("They cannot be changed.").waitFor();
    await page.getByText("No resources.").waitFor();
    await checkQuiet(tab);
  });
});
