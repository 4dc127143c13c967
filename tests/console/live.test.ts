// Pages follow the server: in many windows, after they were hidden, and over a restart.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import { parseExact } from "../../src/kernel/int64.ts";
import { startKubeServer } from "../kube/server.ts";
import type { KubeServer } from "../kube/server.ts";
import { startChromium } from "../peers/chromium.ts";
import { startSetpoint } from "../peers/setpoint.ts";
import { waitUntil } from "../peers/wait.ts";
import { openSignedIn } from "./signed-in.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const list = "/x/configmaps?q=label:app%3Dshop";

function shopMap(name: string): object {
  return { metadata: { name, labels: { app: "shop" } } };
}

/** As the browser reports that the user went to another tab, or came back. */
async function setHidden(page: Page, isHidden: boolean): Promise<void> {
  await page.evaluate(`
    Object.defineProperty(document, "hidden", { configurable: true, get: () => ${isHidden} });
    document.dispatchEvent(new Event("visibilitychange"));
  `);
}

async function names(page: Page): Promise<readonly string[]> {
  return await page.locator("tbody tr[data-row] a").allTextContents();
}

describe("pages that follow the server", () => {
  let browser: Browser;
  let server: KubeServer;
  const create = async (name: string): Promise<void> => {
    assert.equal((await server.request("POST", maps, shopMap(name))).status, 201);
  };

  before(async () => {
    [browser, server] = await Promise.all([
      startChromium(),
      startKubeServer({ consoleListen: "127.0.0.1:0" }),
    ]);
    await create("first");
  });

  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  it("eight windows of a browser show a change, over one stream", async () => {
    await using tab = await openSignedIn(browser, server, { path: list });
    let streams = 0;
    tab.context.on("request", (request) => {
      if (request.url().includes("/api/v1/changes")) streams += 1;
    });
    const pages = [tab.page];
    while (pages.length < 8) pages.push(await tab.context.newPage());
    await Promise.all(pages.slice(1).map((page) => page.goto(tab.page.url())));
    for (const page of pages) await page.getByRole("link", { name: "first" }).waitFor();
    await create("eighth");
    for (const page of pages) await page.getByRole("button", { name: "1 new row" }).waitFor();
    assert.ok(streams <= 1, `${streams} further streams`);
    assert.deepEqual(tab.errors, []);
  });

  it("a page that was hidden reads what it has missed when it is shown", async () => {
    await using tab = await openSignedIn(browser, server, { path: list });
    const { page } = tab;
    await page.getByRole("link", { name: "first" }).waitFor();
    await setHidden(page, true);
    await create("missed");
    const news = page.getByRole("button", { name: "1 new row" });
    assert.equal(await news.count(), 0);
    await setHidden(page, false);
    await news.waitFor();
    assert.deepEqual(tab.errors, []);
  });
});

describe("a page over a restart of the server", () => {
  it("resumes after the restart, without rows that are shown twice", async () => {
    await using server = await startSetpoint();
    const browser = await startChromium();
    try {
      const asked = {
        request: async (method: string, path: string, body?: unknown) => {
          const { status, headers, body: bytes } = await server.ask(path, { method, body });
          const text = bytes.toString();
          const json = text.startsWith("{") ? parseExact(text) : undefined;
          return { status, headers: headers as never, bytes, text, json };
        },
      };
      for (const name of ["a", "b", "c"]) await asked.request("POST", maps, shopMap(name));
      await using tab = await openSignedIn(browser, asked, { path: list });
      const { page } = tab;
      await page.getByRole("link", { name: "c", exact: true }).waitFor();
      await server.kill9();
      await page.getByText("Reconnecting, data from").first().waitFor();
      assert.deepEqual(await names(page), ["a", "b", "c"]);
      await server.start();
      await asked.request("POST", maps, shopMap("d"));
      await page.getByRole("button", { name: "1 new row" }).click();
      await waitUntil("the new row", async () => (await names(page)).length === 4);
      assert.deepEqual(await names(page), ["a", "b", "c", "d"]);
      await page.getByText("Live", { exact: true }).first().waitFor();
    } finally {
      await browser.close();
    }
  });
});
