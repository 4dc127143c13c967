// The main story in Chromium: from the overview to the cause of a failure.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Browser } from "playwright-core";
import { startKubeServer } from "../kube/server.ts";
import type { KubeServer } from "../kube/server.ts";
import { seriousFindings, startChromium } from "../peers/chromium.ts";
import { openSignedIn } from "./signed-in.ts";

const shop = join(import.meta.dirname, "shop-module.ts");
const apiVersion = "shop.example/v1";
const networks = "/apis/shop.example/v1/namespaces/default/networks";
const databases = "/apis/shop.example/v1/namespaces/default/databases";

describe("the console in Chromium", () => {
  let browser: Browser;
  let server: KubeServer;
  const create = async (path: string, kind: string, name: string, spec: unknown): Promise<void> => {
    const { status, text } = await server.request("POST", path, {
      apiVersion,
      kind,
      metadata: { name, labels: { tier: name.startsWith("o") ? "gold" : "silver" } },
      spec,
    });
    assert.equal(status, 201, text);
  };

  before(async () => {
    [browser, server] = await Promise.all([
      startChromium(),
      startKubeServer({ consoleListen: "127.0.0.1:0", module: [shop] }),
    ]);
    await create(networks, "Network", "net-1", { region: "eu" });
    await create(networks, "Network", "evil", { region: "hostile" });
    await create(databases, "Database", "orders", { engine: "postgres", network: "net-1" });
    await create(databases, "Database", "ledger", { engine: "postgres", storageGiB: 20 });
  });

  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  it("two clicks lead from the overview to the cause of a failure", async () => {
    await using tab = await openSignedIn(browser, server);
    const { page } = tab;
    await page.getByRole("heading", { level: 1, name: "have failed" }).waitFor();
    const problems = page.getByRole("region", { name: "Problems by reason" });
    await problems.getByRole("link", { name: "Network/net-1" }).click();
    await page.getByText("quota exceeded in region eu").first().waitFor();
    assert.equal(await page.title(), "net-1 · Setpoint");
    assert.deepEqual(await seriousFindings(page), []);
    assert.deepEqual([...tab.origins], [server.loopback]);
    assert.deepEqual(tab.errors, []);
  });

  it("a message with markup is shown as text", async () => {
    await using tab = await openSignedIn(browser, server, {
      path: "/x/networks.shop.example/default/evil",
    });
    const { page } = tab;
    await page.getByText("<img src=x").first().waitFor();
    assert.equal(await page.locator("img[src=x]").count(), 0);
    // The markup would change the title.
    assert.equal(await page.title(), "evil · Setpoint");
    assert.deepEqual(tab.errors, []);
  });
});
