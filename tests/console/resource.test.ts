// One resource in Chromium: change it, return to an earlier state, and delete it.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Browser } from "playwright-core";
import { pick, pickText, startKubeServer } from "../kube/server.ts";
import type { KubeServer } from "../kube/server.ts";
import { seriousFindings, startChromium } from "../peers/chromium.ts";
import { waitUntil } from "../peers/wait.ts";
import { openSignedIn } from "./signed-in.ts";

const shop = join(import.meta.dirname, "shop-module.ts");
const databases = "/apis/shop.example/v1/namespaces/default/databases";
const pages = "/x/databases.shop.example/default";

describe("a resource in Chromium", () => {
  let browser: Browser;
  let server: KubeServer;
  const create = async (name: string, annotations = {}): Promise<void> => {
    const { status, text } = await server.request("POST", databases, {
      apiVersion: "shop.example/v1",
      kind: "Database",
      metadata: { name, annotations },
      spec: { engine: "postgres", replicas: 2 },
    });
    assert.equal(status, 201, text);
  };
  const replicas = async (name: string): Promise<unknown> =>
    pick((await server.request("GET", `${databases}/${name}`)).json, "spec.replicas");

  before(async () => {
    [browser, server] = await Promise.all([
      startChromium(),
      startKubeServer({ consoleListen: "127.0.0.1:0", module: [shop] }),
    ]);
    await create("orders");
    await create("ledger", { "setpoint.dev/deletion-protection": "true" });
    await create("carts");
  });

  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  it("an error of the server is at its line, and a text is applied after a diff", async () => {
    await using tab = await openSignedIn(browser, server, { path: `${pages}/orders/yaml` });
    const { page } = tab;
    const editor = page.getByRole("textbox", { name: "YAML of orders" });
    await editor.waitFor();
    const write = async (value: string): Promise<void> => {
      await editor.getByText(/^ *replicas: \d$/).click();
      await page.keyboard.press("End");
      await page.keyboard.press("Backspace");
      await page.keyboard.type(value);
      await page.getByRole("button", { name: "Review and apply" }).click();
    };
    await write("9");
    const problems = page.getByRole("list", { name: "Problems" });
    await problems.getByText(/line \d+/).waitFor();
    await problems.getByText("spec.replicas").waitFor();
    assert.equal(await replicas("orders"), 2);
    await write("3");
    const dialog = page.getByRole("dialog", { name: "Apply to Database/orders?" });
    await dialog.getByText("spec.replicas").waitFor();
    assert.deepEqual(await seriousFindings(page), []);
    await dialog.getByRole("button", { name: "Apply" }).click();
    await waitUntil("the change", async () => (await replicas("orders")) === 3);
    // The dry run that was refused is an error of the network for the browser.
    assert.ok(
      tab.errors.every((error) => error.includes("422")),
      tab.errors.join("\n"),
    );
  });

  it("the editor completes fields and values from the schema of the kind", async () => {
    await using tab = await openSignedIn(browser, server, { path: `${pages}/carts/yaml` });
    const { page } = tab;
    const editor = page.getByRole("textbox", { name: "YAML of carts" });
    const line = editor.getByText(/^ *engine: postgres$/);
    const schema = page.waitForResponse((response) => response.url().includes("/openapi/v3/"));
    await line.click();
    await schema;
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    await page.keyboard.type("netw");
    const field = page.getByRole("option", { name: /^network/ });
    await field.waitFor();
    await field.click();
    await editor.getByText(/^ *network: ?$/).waitFor();
    await line.click();
    await page.keyboard.press("End");
    await page.keyboard.press("Control+Shift+ArrowLeft");
    await page.keyboard.type("my");
    await page.getByRole("option", { name: "mysql" }).click();
    await editor.getByText(/^ *engine: mysql$/).waitFor();
    assert.deepEqual(await seriousFindings(page), []);
    assert.deepEqual(tab.errors, []);
  });

  it("the owner tree leads from what is owned up to its owners", async () => {
    const configMaps = "/api/v1/namespaces/default/configmaps";
    const owned = async (name: string, owner: unknown): Promise<unknown> => {
      const metadata = { name, ownerReferences: [owner] };
      const { status, json, text } = await server.request("POST", configMaps, { metadata });
      assert.equal(status, 201, text);
      return json;
    };
    const referenceTo = (apiVersion: string, kind: string, name: string, document: unknown) => {
      return { apiVersion, kind, name, uid: pickText(document, "metadata.uid") };
    };
    await create("stock");
    const stock = (await server.request("GET", `${databases}/stock`)).json;
    const child = await owned("child", referenceTo("shop.example/v1", "Database", "stock", stock));
    await owned("grandchild", referenceTo("v1", "ConfigMap", "child", child));
    const path = "/x/configmaps/default/child/related";
    await using tab = await openSignedIn(browser, server, { path, width: 360, theme: "dark" });
    const { page } = tab;
    const tree = page.getByRole("list", { name: "Owner tree" });
    await tree.getByText("Database/stock").waitFor();
    const levels = await tree.locator(".owner-line .mono").allTextContents();
    assert.deepEqual(levels, ["stock", "child", "grandchild"]);
    await tree.locator("li li li").getByText("grandchild").waitFor();
    assert.deepEqual(await seriousFindings(page), []);
    await tree.getByRole("link", { name: "Database/stock" }).click();
    await page.waitForURL(/\/databases\.shop\.example\/default\/stock/);
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText("This also deletes 2 ConfigMaps.").waitFor();
    assert.deepEqual(tab.errors, []);
  });

  it("the history shows what changed, and leads back after a dry run", async () => {
    const patch = { spec: { replicas: 5 } };
    await server.request("PATCH", `${databases}/carts`, patch);
    await using tab = await openSignedIn(browser, server, { path: `${pages}/carts/history` });
    const { page } = tab;
    const revisions = page.getByRole("region", { name: "Revisions" });
    await revisions.getByRole("link", { name: /created/ }).click();
    await page.getByRole("button", { name: /^Roll back to revision/ }).click();
    const dialog = page.getByRole("dialog", { name: /^Roll back Database\/carts/ });
    await dialog.getByText("spec.replicas").waitFor();
    await dialog.getByRole("button", { name: "Roll back" }).click();
    await waitUntil("the earlier state", async () => (await replicas("carts")) === 2);
    assert.deepEqual(tab.errors, []);
  });

  it("a link to an old revision reads a few pages, and more when the user asks", async () => {
    const configMaps = "/api/v1/namespaces/default/configmaps";
    const busy = { metadata: { name: "busy" } };
    const { json } = await server.request("POST", configMaps, busy);
    for (let change = 1; change <= 260; change += 1) {
      await server.request("PATCH", `${configMaps}/busy`, { data: { change: String(change) } });
    }
    const revision = pickText(json, "metadata.resourceVersion");
    const path = `/x/configmaps/default/busy/history?rev=${revision}`;
    await using tab = await openSignedIn(browser, server, { path });
    const { page } = tab;
    const more = page.getByRole("button", { name: "Load more" });
    await more.waitFor();
    const read = await page.evaluate(() =>
      performance.getEntriesByType("resource").map(({ name }) => name),
    );
    // The same page may be read again, for changes that arrived in between.
    const historyPages = new Set(read.filter((url) => url.includes("/api/v1/history/")));
    assert.ok(historyPages.size <= 4, `${historyPages.size} pages`);
    await more.click();
    const revisions = page.getByRole("region", { name: "Revisions" });
    await revisions.locator("[aria-current]", { hasText: "created" }).waitFor();
    assert.deepEqual(tab.errors, []);
  });

  it("a deletion states what is destroyed and asks for the name", async () => {
    await create("doomed");
    await using tab = await openSignedIn(browser, server, { path: `${pages}/doomed` });
    const { page } = tab;
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Delete Database/doomed?" });
    const confirm = dialog.getByRole("button", { name: "Delete", exact: true });
    await confirm.waitFor();
    assert.deepEqual(await seriousFindings(page), []);
    const typed = dialog.getByRole("textbox");
    if ((await typed.count()) === 1) {
      assert.equal(await confirm.getAttribute("aria-disabled"), "true");
      await typed.fill("doomed");
    }
    await confirm.click();
    const isDeleted = async (): Promise<boolean> =>
      (await server.request("GET", `${databases}/doomed`)).status === 404;
    await waitUntil("the deletion", isDeleted);
    await page.getByText("is being deleted").waitFor();
  });

  it("an action that is off stays in the page, with its reason", async () => {
    await using tab = await openSignedIn(browser, server, { path: `${pages}/ledger`, width: 360 });
    const { page } = tab;
    const button = page.getByRole("button", { name: "Delete", exact: true });
    await button.waitFor();
    assert.equal(await button.getAttribute("aria-disabled"), "true");
    const reason = await button.getAttribute("aria-describedby");
    assert.match((await page.locator(`[id="${reason}"]`).textContent()) ?? "", /^Protected/);
    await button.press("Enter");
    assert.equal(await page.getByRole("dialog").count(), 0);
    assert.deepEqual(await seriousFindings(page), []);
    assert.deepEqual(tab.errors, []);
  });
});
