// The pages of the fleet in Chromium: from a failure to its cause, why an instance is where it is,
// and what an administrator and a reader may do.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import { pickText, startKubeServer } from "../kube/server.ts";
import type { KubeServer } from "../kube/server.ts";
import { openTab, seriousFindings, startChromium } from "../peers/chromium.ts";
import type { Tab } from "../peers/chromium.ts";
import { createFleet, createRollout, hostileMessage, organisation } from "./fleet-data.ts";
import { openSignedIn } from "./signed-in.ts";

const instances = `/fleet/instances/dinosaurs/org-${organisation}`;
const mostFirstLoadBytes = 300_000;

describe("the fleet in the console", () => {
  let browser: Browser;
  let server: KubeServer;

  before(async () => {
    [browser, server] = await Promise.all([
      startChromium(),
      startKubeServer({ consoleListen: "127.0.0.1:0" }),
    ]);
    await createFleet(server);
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

  it("clusters show their state and how full they are, and a failed one its reason", async () => {
    await using tab = await open("/fleet");
    const { page } = tab;
    await page.getByRole("heading", { level: 1, name: "1 of 4 clusters failed" }).waitFor();
    const full = page.getByRole("meter", { name: "Capacity of east-1" });
    assert.equal(await full.getAttribute("aria-valuetext"), "3 of 3 units");
    await page.getByRole("row", { name: /Draining east-2/ }).waitFor();
    await page.getByRole("meter", { name: "standard" }).first().waitFor();
    await checkQuiet(tab);
    await page.getByRole("link", { name: "west-2" }).click();
    await page.getByText("Quota of the cloud account exceeded.").first().waitFor();
    await checkQuiet(tab);
  });

  it("the first page of the fleet loads less than 300 kB", async () => {
    await using tab = await openSignedIn(browser, server);
    const { page } = tab;
    await page.getByRole("heading", { level: 1 }).waitFor();
    // A context of its own has nothing in its cache.
    const fresh = await browser.newContext({ storageState: await tab.context.storageState() });
    const cold = await fresh.newPage();
    const sizes: Promise<number>[] = [];
    cold.on("requestfinished", (request) => {
      if (!request.url().includes("/console/")) return;
      sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
    });
    await cold.goto(`${server.loopback}/console/fleet`);
    await cold.getByRole("heading", { level: 1, name: "clusters" }).waitFor();
    const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    await fresh.close();
    assert.ok(bytes > 20_000, `only ${bytes} bytes were counted`);
    assert.ok(bytes < mostFirstLoadBytes, `${bytes} bytes`);
  });

  it("the keyboard leads from a filter of instances to the reason of a placement", async () => {
    await using tab = await open("/fleet/instances");
    const { page } = tab;
    await page.getByRole("heading", { level: 1, name: "2 of 5 Dinosaurs not ready" }).waitFor();
    await page.getByRole("row", { name: /rex-1/ }).waitFor();
    await checkQuiet(tab);
    await page.keyboard.press("/");
    await page.keyboard.type("columns.status=accepted");
    await page.getByRole("row", { name: /rex-1/ }).waitFor({ state: "detached" });
    await page.getByRole("row", { name: /rex-4/ }).focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 2, name: "It has no cluster yet" }).waitFor();
    const placement = page.getByRole("region", { name: "Placement" });
    await placement.getByText("Is full: 3 of 3 units.").waitFor();
    await placement.getByText("Is being drained.").waitFor();
    await checkQuiet(tab);
  });

  it("sorting asks the server, and the address keeps the order", async () => {
    await using tab = await open("/fleet/instances");
    const { page } = tab;
    await page.getByRole("button", { name: "Instance" }).click();
    await page.getByRole("columnheader", { name: "Instance" }).getByRole("button").click();
    await page.waitForURL(/sort=-name/);
    const first = page.getByRole("row").nth(1);
    await first.filter({ hasText: "rex-4" }).waitFor();
  });

  it("the overview counts a failed instance as failed, and leads to it", async () => {
    await using tab = await open("/");
    const { page } = tab;
    const kinds = page.getByRole("region", { name: "Kinds" });
    await kinds.getByRole("row", { name: /^Dinosaur .*1 Failed/ }).waitFor();
    const problems = page.getByRole("region", { name: "Problems by reason" });
    await problems.getByRole("link", { name: "Dinosaur/bad-egg" }).waitFor();
    await checkQuiet(tab);
  });

  it("a failed instance names its chosen cluster, and shows hostile words as text", async () => {
    await using tab = await open(`${instances}/bad-egg`);
    const { page } = tab;
    await page.getByRole("heading", { level: 2, name: hostileMessage }).waitFor();
    assert.equal(await page.locator("img[src=x]").count(), 0);
    assert.equal(await page.title(), "bad-egg · Setpoint");
    const placement = page.getByRole("region", { name: "Placement" });
    await placement.getByText("Chosen").waitFor();
    await placement.getByText("Is not ready: its phase is failed.").waitFor();
    await life(page, "Failed");
    await checkQuiet(tab);
  });

  it("an instance is shown when the kinds of the server arrive late", async () => {
    await using tab = await open("/");
    const { page } = tab;
    await page.getByRole("heading", { level: 1 }).waitFor();
    const { promise: isReleased, resolve: release } = Promise.withResolvers<undefined>();
    await page.route(/\/apis$/, async (route) => {
      await isReleased;
      await route.continue();
    });
    await page.goto(`${server.loopback}/console${instances}/rex-2`);
    await page.getByRole("status", { name: "Loading" }).waitFor();
    release(undefined);
    await page.getByRole("heading", { level: 1, name: "rex-2" }).waitFor();
    await page.getByRole("link", { name: "east-1" }).waitFor();
  });

  it("an administrator suspends an instance with a reason, and resumes it", async () => {
    await using tab = await open(`${instances}/rex-1`);
    const { page } = tab;
    await page.getByRole("button", { name: "Suspend" }).click();
    const dialog = page.getByRole("dialog", { name: "Suspend rex-1?" });
    const confirm = dialog.getByRole("button", { name: "Suspend" });
    assert.equal(await confirm.getAttribute("aria-disabled"), "true");
    await dialog.getByLabel("Reason").fill("a bill is open");
    await checkQuiet(tab);
    await confirm.click();
    await page.getByRole("heading", { name: "Suspended by an administrator" }).waitFor();
    await page.getByText("A bill is open.").first().waitFor();
    await life(page, "Suspended");
    await page.getByRole("button", { name: "Resume the instance" }).click();
    await life(page, "Ready");
    await checkQuiet(tab);
  });

  it("a rollout is paused, resumed and aborted, and then its actions are off", async () => {
    await createRollout(server, "product-1-2");
    await using tab = await open("/fleet/rollouts");
    const { page } = tab;
    await page.getByRole("link", { name: "product-1-2" }).click();
    const waves = page.getByRole("region", { name: "Waves" });
    await waves.getByText("Soaking").waitFor();
    await waves.getByText("Not started").waitFor();
    await page.getByText("0 of at most 0").waitFor();
    await checkQuiet(tab);
    await page.getByRole("button", { name: "Pause the rollout" }).click();
    await waves.getByText("Paused").waitFor();
    await page.getByRole("button", { name: "Resume the rollout" }).click();
    await waves.getByText("Soaking").waitFor();
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Abort" }).click();
    const dialog = page.getByRole("dialog", { name: "Abort product-1-2?" });
    await dialog.getByLabel("Type product-1-2").fill("product-1-2");
    await dialog.getByRole("button", { name: "Abort" }).click();
    await page.getByText("Aborted", { exact: true }).first().waitFor();
    const back = page.getByRole("button", { name: "Roll back" });
    assert.equal(await back.getAttribute("title"), "The rollout is aborted.");
    await checkQuiet(tab);
  });

  it("a rollout that a gate stopped states the gate, and offers what continues it", async () => {
    await using tab = await open("/fleet/rollouts");
    const { page } = tab;
    const path = "/apis/fleet.setpoint.dev/v1/rollouts/held";
    await createRollout(server, "held");
    const spec = { waves: [{ percent: 100, maxUnavailable: 5 }] };
    const patch = { "content-type": "application/merge-patch+json" };
    const { status } = await server.request("PATCH", path, { spec }, patch);
    assert.equal(status, 200);
    await page.getByRole("link", { name: "held" }).click();
    await page.getByRole("heading", { name: "The gate of wave 1 failed" }).waitFor();
    await page.getByText("gates.condition is false: updated < 2").first().waitFor();
    await page.getByRole("button", { name: "Check the gates again" }).waitFor();
    await checkQuiet(tab);
  });

  it("a user who may only read sees every action, off with the reason", async () => {
    const token = await readerToken(server);
    await using tab = await openTab(browser);
    const { page } = tab;
    await page.goto(`${server.loopback}/console/sign-in`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.evaluate(async (secret) => {
      const body = JSON.stringify({ token: secret });
      const headers = { "content-type": "application/json" };
      await fetch("/console/api/session", { method: "POST", headers, body });
    }, token);
    await page.goto(`${server.loopback}/console${instances}/rex-2`);
    const suspend = page.getByRole("button", { name: "Suspend" });
    const reason = `You may not update dinosaurs in org-${organisation}.`;
    await page.getByTitle(reason).first().waitFor();
    assert.equal(await suspend.getAttribute("aria-disabled"), "true");
    await page.goto(`${server.loopback}/console/fleet/clusters/east-1`);
    await page.getByRole("button", { name: "Drain" }).waitFor();
    await page.getByTitle("You may not update dataplaneclusters.").first().waitFor();
    await page.goto(`${server.loopback}/console/fleet/offerings`);
    await page.getByTitle("You may not create offerings.").waitFor();
  });

  it("an organisation shows how much of its quota is used", async () => {
    await using tab = await open("/fleet/organisations");
    const { page } = tab;
    await page.getByRole("link", { name: organisation }).click();
    await page.getByRole("heading", { level: 1, name: "Jurassic Gardens" }).waitFor();
    const quota = page.getByRole("meter", { name: "dinosaurs, standard" });
    assert.equal(await quota.getAttribute("aria-valuetext"), "5 of 8 units");
    await checkQuiet(tab);
  });

  it("an offering shows its instances by phase, which lead to them", async () => {
    await using tab = await open("/fleet/offerings");
    const { page } = tab;
    const panel = page.getByRole("region", { name: "Managed Dinosaurs" });
    await panel.getByText("/api/dinosaurs_mgmt/v1/admin").waitFor();
    await checkQuiet(tab);
    await panel.getByRole("link", { name: "Failed" }).click();
    await page.getByRole("row", { name: /bad-egg/ }).waitFor();
    assert.equal(await page.getByRole("row", { name: /rex-/ }).count(), 0);
  });
});

async function life(page: Page, phase: string): Promise<void> {
  const steps = page.getByRole("list", { name: "Life cycle" });
  await steps.locator("[aria-current=step]", { hasText: phase }).waitFor();
}

async function readerToken(server: KubeServer): Promise<string> {
  const accounts = "/api/v1/namespaces/default/serviceaccounts";
  await server.request("POST", accounts, { metadata: { name: "reader" } });
  const rules = [{ apiGroups: ["*"], resources: ["*"], verbs: ["get", "list", "watch"] }];
  const rbac = "/apis/rbac.authorization.k8s.io/v1";
  await server.request("POST", `${rbac}/clusterroles`, { metadata: { name: "reader" }, rules });
  const { status, text } = await server.request("POST", `${rbac}/clusterrolebindings`, {
    metadata: { name: "reader" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "reader" },
    subjects: [{ kind: "ServiceAccount", name: "reader", namespace: "default" }],
  });
  assert.equal(status, 201, text);
  const { json } = await server.request("POST", `${accounts}/reader/token`, { spec: {} });
  return pickText(json, "status.token");
}
