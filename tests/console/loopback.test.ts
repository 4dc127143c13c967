// The listener without TLS of `dev`: for browsers on this machine, with a session only.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { isSetpointError } from "../../src/kernel/errors.ts";
import { pickText, startKubeServer } from "../kube/server.ts";
import type { KubeServer } from "../kube/server.ts";
import { Browser } from "./browser.ts";
import { builtInstallation } from "./installation.ts";
import type { Installation } from "./installation.ts";

const session = "/console/api/session";
const configMaps = "/api/v1/namespaces/default/configmaps";

describe("the console without TLS on loopback", () => {
  let installation: Installation;
  let server: KubeServer;

  before(async () => {
    installation = await builtInstallation();
    const consoleRoot = installation.root;
    server = await startKubeServer({ consoleListen: "127.0.0.1:0", consoleRoot });
  });

  after(async () => {
    await server.stop();
    await installation[Symbol.asyncDispose]();
  });

  it("a link of the command line leads there and signs in", async () => {
    const { json } = await server.request("POST", "/console/api/links", {});
    const { origin, pathname, search } = new URL(pickText(json, "url"));
    assert.equal(origin, server.loopback);
    const browser = new Browser(origin);
    const { headers } = await browser.visit(`${pathname}${search}`);
    assert.equal(headers.location, "/console/");
    const [line = ""] = headers["set-cookie"] ?? [];
    const { port } = new URL(origin);
    assert.match(line, new RegExp(`^setpoint-session-${port}=[\\w-]{43}; .*HttpOnly; SameSite=S`));
    assert.doesNotMatch(line, /Secure/);
    assert.equal((await browser.request("GET", session)).status, 200);
    const body = { metadata: { name: "over-loopback" } };
    assert.equal((await browser.request("POST", configMaps, { body })).status, 201);
    assert.equal((await browser.request("DELETE", session)).status, 204);
    assert.equal((await browser.request("GET", configMaps)).status, 401);
  });

  it("a session of one listener is not one of the other", async () => {
    const browser = new Browser(server.loopback);
    const { json } = await server.request("POST", "/console/api/links", {});
    const { pathname, search } = new URL(pickText(json, "url"));
    await browser.visit(`${pathname}${search}`);
    const other = new Browser(server.url, server.ca);
    for (const [name, cookie] of browser.cookies) other.cookies.set(name, cookie);
    assert.equal((await other.request("GET", session)).status, 401);
  });

  it("it serves localhost only", async () => {
    const { port } = new URL(server.loopback);
    const browser = new Browser(server.loopback);
    const others = ["evil.example", `evil.example:${port}`, "127.0.0.1", "localhost:1", "0.0.0.0"];
    for (const host of others) {
      for (const path of ["/console/", session, "/healthz", configMaps]) {
        const { status } = await browser.request("GET", path, { headers: { host } });
        assert.equal(status, 421, `${host} ${path}`);
      }
    }
    for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`]) {
      const { status } = await browser.request("GET", "/console/", { headers: { host } });
      assert.equal(status, 200, host);
    }
  });

  it("it accepts no tokens, and no requests without a session", async () => {
    const browser = new Browser(server.loopback);
    const headers = { authorization: `Bearer ${server.token}` };
    for (const path of [configMaps, "/api/v1/counts", session]) {
      const { status, text } = await browser.request("GET", path, { headers });
      assert.equal(status, 401, path);
      assert.ok(!text.includes(server.token));
      assert.equal((await browser.request("GET", path)).status, 401, path);
    }
  });

  it("the bare address leads to the console", async () => {
    const { status, headers } = await new Browser(server.loopback).visit("/");
    assert.equal(status, 303);
    assert.equal(headers.location, "/console/");
  });

  it("it does not listen on other addresses", async () => {
    await assert.rejects(startKubeServer({ consoleListen: "0.0.0.0:0" }), (error: unknown) =>
      isSetpointError(error, "config.invalid"),
    );
  });
});
