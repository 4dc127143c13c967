// The page Operations in Chromium: find who changed a resource, and open it as it was.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Browser } from "playwright-core";
import { startKubeServer } from "../kube/server.ts";
import type { KubeServer } from "../kube/server.ts";
import { seriousFindings, startChromium } from "../peers/chromium.ts";
import { waitUntil } from "../peers/wait.ts";
import { openSignedIn } from "./signed-in.ts";

const shop = join(import.meta.dirname, "shop-module.ts");
const apiVersion = "shop.example/v1";
const networks = "/apis/shop.example/v1/namespaces/default/networks";
const maps = "/api/v1/namespaces/default/configmaps";
const trace = "4bf92f3577b34da6a3ce929d0e0e4736";

describe("the page Operations in Chromium", () => {
  let browser: Browser;
  let server: KubeServer;
  const write = async (
    method: string,
    path: string,
    body: unknown,
    traceId = "",
  ): Promise<void> => {
    const headers = traceId === "" ? {} : { traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
    const { status, text } = await server.request(method, path, body, headers);
    assert.ok(status < 300, text);
  };

  before(async () => {
    [browser, server] = await Promise.all([
      startChromium(),
      startKubeServer({ consoleListen: "127.0.0.1:0", module: [shop] }),
    ]);
    const network = { apiVersion, kind: "Network", metadata: { name: "net-1" } };
    await write("POST", networks, { ...network, spec: { region: "eu" } });
    await write("POST", maps, { metadata: { name: "web" }, data: { color: "red" } });
    await write("PATCH", `${maps}/web`, { data: { color: "green" } }, trace);
    await write("PATCH", `${maps}/web`, { data: { color: "blue" } });
    // More than a page of revisions, so that the change of the trace is on a later one.
    for (let at = 0; at < 60; at += 1) {
      await write("PATCH", `${maps}/web`, { data: { at: String(at) } });
    }
  });

  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  it("the trace id of a change leads to it, and the change to the resource as it was", async () => {
    await using tab = await openSignedIn(browser, server, {
      path: "/activity?actor=setpoint:admin",
    });
    const { page } = tab;
    const timeline = page.getByRole("region", { name: "Timeline" });
    await timeline.getByRole("link", { name: "ConfigMap/web" }).first().waitFor();
    await timeline.getByRole("link", { name: `trace ${trace.slice(0, 8)}` }).click();
    await timeline.getByRole("button", { name: `Trace ${trace.slice(0, 8)}` }).waitFor();
    const found = timeline.getByRole("link", { name: "ConfigMap/web" });
    await waitUntil("the only entry", async () => (await found.count()) === 1);
    assert.deepEqual(await seriousFindings(page), []);
    await found.click();
    await page.getByRole("heading", { name: /^Revision / }).waitFor();
    await page.getByRole("button", { name: "As it was" }).click();
    await page.getByText('"color": "green"').waitFor();
    assert.deepEqual([...tab.origins], [server.loopback]);
    assert.deepEqual(tab.errors, []);
  });

  it("filters by resource and outcome are in the URL, and a reload keeps them", async () => {
    await using tab = await openSignedIn(browser, server, { path: "/activity" });
    const { page } = tab;
    const timeline = page.getByRole("region", { name: "Timeline" });
    await timeline.getByLabel("Resource").fill("Network/net-1");
    await timeline.getByLabel("Outcome").selectOption("Warnings");
    await timeline.getByText("quota exceeded in region eu").first().waitFor();
    await page.waitForURL(/outcome=warning&resource=Network%2Fnet-1$/);
    await page.reload();
    await timeline.getByText("quota exceeded in region eu").first().waitFor();
    assert.equal(await timeline.getByText("ConfigMap").count(), 0);
    assert.equal(await timeline.getByLabel("Resource").inputValue(), "Network/net-1");
    await timeline.getByLabel("Resource").fill("Network/none");
    await timeline.getByText("No entry matches the filter.").waitFor();
    assert.deepEqual(tab.errors, []);
  });

  it("new entries are counted, and move the others only when the user asks", async () => {
    await using tab = await openSignedIn(browser, server, {
      path: "/activity?resource=configmaps",
      width: 360,
      theme: "dark",
    });
    const { page } = tab;
    const entries = page.locator(".timeline-entry");
    await entries.first().waitFor();
    const first = await entries.first().textContent();
    await write("POST", maps, { metadata: { name: "api" } });
    const news = page.getByRole("button", { name: "1 new entry · Show" });
    await news.waitFor();
    assert.equal(await entries.first().textContent(), first);
    await news.click();
    await entries.first().getByRole("link", { name: "ConfigMap/api" }).waitFor();
    assert.deepEqual(await seriousFindings(page), []);
    assert.deepEqual(tab.errors, []);
  });

  it("a run that failed and the queues of kinds are listed beside the timeline", async () => {
    await using tab = await openSignedIn(browser, server, { path: "/activity" });
    const { page } = tab;
    const runs = page.getByRole("region", { name: "Runs" });
    await runs.getByRole("link", { name: "Network/net-1" }).first().waitFor();
    await runs.getByRole("listitem").getByText("CreateFailed").waitFor();
    const queues = page.getByRole("region", { name: "Queues" });
    await queues.getByRole("link", { name: "Network" }).click();
    await page.waitForURL(/\/x\/networks\.shop\.example$/);
    assert.deepEqual(tab.errors, []);
  });
});
