// The API reference in Chromium: every API that the server serves, found by a search.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Browser } from "playwright-core";
import { startKubeServer } from "../kube/server.ts";
import type { KubeServer } from "../kube/server.ts";
import { seriousFindings, startChromium } from "../peers/chromium.ts";
import { openSignedIn } from "./signed-in.ts";

const dinosaurs = join(import.meta.dirname, "../../examples/dinosaurs");
const bakery = join(import.meta.dirname, "../../examples/bakery/bakery.ts");
const yaml = { "content-type": "application/yaml" };

describe("the API reference in Chromium", () => {
  let browser: Browser;
  let server: KubeServer;

  before(async () => {
    const module = [join(import.meta.dirname, "shop-module.ts"), bakery];
    [browser, server] = await Promise.all([
      startChromium(),
      startKubeServer({ consoleListen: "127.0.0.1:0", module }),
    ]);
    const offering = await readFile(join(dinosaurs, "offering.yaml"), "utf8");
    const path = "/apis/fleet.setpoint.dev/v1/offerings";
    const { status, text } = await server.request("POST", path, offering, yaml);
    assert.equal(status, 201, text);
  });

  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  it("a search leads to an operation and to its command on the message bus", async () => {
    await using tab = await openSignedIn(browser, server, { path: "/reference" });
    const { page } = tab;
    await page.getByRole("heading", { name: "API reference" }).waitFor();
    await page.getByRole("searchbox", { name: "Search all APIs" }).fill("earlier revision");
    await page.getByRole("link", { name: /POST \/api\/v1\/rollback/ }).click();
    await page.getByText("Hidden fields keep their present values.").waitFor();
    assert.deepEqual(await seriousFindings(page), []);
    await page.getByRole("link", { name: "resources.rollback" }).click();
    const message = page.getByRole("region", { name: "Message" });
    await message.getByText('"name": "NAME"').waitFor();
    assert.deepEqual([...tab.origins], [server.loopback]);
    assert.deepEqual(tab.errors, []);
  });

  it("an operation of a kind shows the fields of its schema, level by level", async () => {
    const op = "POST /apis/shop.example/v1/namespaces/{namespace}/databases";
    const query = new URLSearchParams({ surface: "kubernetes/apis/shop.example/v1", op });
    await using tab = await openSignedIn(browser, server, {
      path: `/reference?${query.toString()}`,
      width: 360,
      theme: "dark",
    });
    const { page } = tab;
    const body = page.getByRole("region", { name: "Request body" });
    await body.getByRole("button", { name: "spec" }).click();
    await body.getByText("engine", { exact: true }).waitFor();
    await body.getByText("one of postgres, mysql").waitFor();
    assert.deepEqual(await seriousFindings(page), []);
    assert.deepEqual(tab.errors, []);
  });

  it("the Swagger document of a resource provider is shown with its paths and fields", async () => {
    await using tab = await openSignedIn(browser, server, { path: "/reference" });
    const { page } = tab;
    const apis = page.getByRole("navigation", { name: "APIs" });
    await apis.getByRole("link", { name: "Example.Bakery 2026-01-01" }).click();
    const put = /PUT \/subscriptions\/\{subscriptionId\}.*\/Example\.Bakery\/ovens\/\{\w+\}(?!\/)/;
    await page.getByRole("link", { name: put }).first().click();
    const body = page.getByRole("region", { name: "Request body" });
    await body.getByRole("button", { name: "properties" }).click();
    await body.getByText("degrees", { exact: true }).waitFor();
    await page.getByText("api-version").first().waitFor();
    assert.deepEqual(await seriousFindings(page), []);
    assert.deepEqual([...tab.origins], [server.loopback]);
    assert.deepEqual(tab.errors, []);
  });

  it("the APIs of an Offering are listed, and its public one is shown", async () => {
    await using tab = await openSignedIn(browser, server, { path: "/reference" });
    const { page } = tab;
    const apis = page.getByRole("navigation", { name: "APIs" });
    await apis.getByRole("link", { name: "dinosaurs: admin" }).waitFor();
    await apis.getByRole("link", { name: "dinosaurs: public" }).click();
    await page
      .getByRole("link", { name: /POST \/api\/dinosaurs_mgmt\/v1\/dinosaurs/ })
      .first()
      .waitFor();
    assert.deepEqual(tab.errors, []);
  });
});
