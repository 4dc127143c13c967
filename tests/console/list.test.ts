// Lists of the Explorer in Chromium: the server sorts, filters, searches labels and pages.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import { startKubeServer } from "../kube/server.ts";
import type { KubeServer } from "../kube/server.ts";
import { seriousFindings, startChromium } from "../peers/chromium.ts";
import { waitUntil } from "../peers/wait.ts";
import { openSignedIn } from "./signed-in.ts";

const shop = join(import.meta.dirname, "shop-module.ts");
const apiVersion = "shop.example/v1";
const databases = "/apis/shop.example/v1/namespaces/default/databases";
const maps = "/api/v1/namespaces/default/configmaps";
const many = 250;

async function names(page: Page): Promise<readonly string[]> {
  return await page.locator("tbody tr[data-row] a").allTextContents();
}

describe("a list of the Explorer in Chromium", () => {
  let browser: Browser;
  let server: KubeServer;
  const create = async (path: string, document: object): Promise<void> => {
    const { status, text } = await server.request("POST", path, document);
    assert.equal(status, 201, text);
  };

  before(async () => {
    [browser, server] = await Promise.all([
      startChromium(),
      startKubeServer({ consoleListen: "127.0.0.1:0", module: [shop] }),
    ]);
    for (const [name, storageGiB, tier] of [
      ["orders", 10, "gold"],
      ["ledger", 30, "silver"],
      ["carts", 20, "gold"],
    ] as const) {
      const metadata = { name, labels: { tier } };
      const spec = { engine: "postgres", storageGiB };
      await create(databases, { apiVersion, kind: "Database", metadata, spec });
    }
    for (let at = 0; at < many; at += 1) {
      await create(maps, { metadata: { name: `map-${String(at).padStart(3, "0")}` } });
    }
  });

  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  it("sorts by a column of the kind and finds labels, and keeps both for a reload", async () => {
    await using tab = await openSignedIn(browser, server, { path: "/x/databases.shop.example" });
    const { page } = tab;
    await page.getByRole("link", { name: "orders" }).waitFor();
    const header = page.getByRole("columnheader", { name: "Storage GiB" });
    await header.getByRole("button").click();
    const isSorted = async (): Promise<boolean> =>
      (await names(page)).join(" ") === "orders carts ledger";
    await waitUntil("the order by size", isSorted);
    assert.equal(await header.getAttribute("aria-sort"), "ascending");
    await header.getByRole("button").click();
    const isReversed = async (): Promise<boolean> =>
      (await names(page)).join(" ") === "ledger carts orders";
    await waitUntil("the reversed order", isReversed);
    await page.getByLabel("Filter databases").fill("label:tier=gold");
    await waitUntil("the labelled rows", async () => (await names(page)).length === 2);
    await page.reload();
    await page.getByRole("link", { name: "orders" }).waitFor();
    assert.deepEqual(await names(page), ["carts", "orders"]);
    assert.deepEqual(await seriousFindings(page), []);
    assert.deepEqual(tab.errors, []);
  });

  it("reads the next page at the end, and has few rows in the document", async () => {
    await using tab = await openSignedIn(browser, server, { path: "/x/configmaps?ns=default" });
    const { page } = tab;
    await page.getByRole("link", { name: "map-000" }).waitFor();
    const scroller = page.locator(".live-table");
    const last = page.getByRole("link", { name: `map-${many - 1}` });
    await waitUntil("the last row", async () => {
      await scroller.evaluate((element) => {
        const scrolled = element as unknown as { scrollTop: number; scrollHeight: number };
        scrolled.scrollTop = scrolled.scrollHeight;
      });
      return (await last.count()) === 1;
    });
    assert.ok((await names(page)).length < 100);
    assert.deepEqual(tab.errors, []);
  });

  it("a kind that is added while the page is open is listed", async () => {
    await using tab = await openSignedIn(browser, server, { path: "/x" });
    const { page } = tab;
    await page.getByRole("link", { name: "Database" }).first().waitFor();
    const schema = { openAPIV3Schema: { type: "object" } };
    await create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "meteors.space.example" },
      spec: {
        group: "space.example",
        names: { plural: "meteors", kind: "Meteor" },
        scope: "Namespaced",
        versions: [{ name: "v1", served: true, storage: true, schema }],
      },
    });
    // Kinds without resources are behind a button.
    const meteor = { apiVersion: "space.example/v1", kind: "Meteor", metadata: { name: "m-1" } };
    await create("/apis/space.example/v1/namespaces/default/meteors", meteor);
    await page.getByRole("link", { name: "Meteor" }).first().waitFor();
    assert.deepEqual(tab.errors, []);
  });

  it("the palette finds a resource of every kind, the equal name first", async () => {
    const config = { apiVersion: "v1", kind: "ConfigMap" };
    for (const name of ["a-small-one", "small-one", "small"]) {
      const made = { ...config, metadata: { name } };
      await create("/api/v1/namespaces/default/configmaps", made);
    }
    await using tab = await openSignedIn(browser, server);
    const { page } = tab;
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("small");
    const options = page.getByRole("option", { name: /ConfigMap[/]/ });
    await options.nth(2).waitFor();
    const labels = await options.locator(":scope > .clip:not(.palette-note)").allTextContents();
    assert.deepEqual(
      labels,
      ["small", "small-one", "a-small-one"].map((name) => `ConfigMap/${name}`),
    );
    await page.getByRole("combobox").fill("kind:comet small");
    await page.getByText("There is no kind comet.").waitFor();
    assert.deepEqual(tab.errors, []);
  });

  it("a search of the palette opens a resource, and keys open pages", async () => {
    await using tab = await openSignedIn(browser, server);
    const { page } = tab;
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("kind:database ledger");
    await page.getByRole("option", { name: /Database\/ledger/ }).click();
    await page.waitForURL(/databases\.shop\.example\/default\/ledger$/);
    await page.getByRole("heading", { level: 1, name: "Database/ledger" }).waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("x");
    await page.waitForURL(/\/console\/x$/);
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    assert.deepEqual(await seriousFindings(page), []);
    assert.deepEqual(tab.errors, []);
  });
});
