// The files of the console: their headers, forms and caching, what hostile paths reach, and the
// build in a clone, while it runs and when it fails.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { openConsoleSite } from "../../src/app/console/console-site.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { logger } from "../../src/telemetry/log.ts";
import { startKubeServer } from "../kube/server.ts";
import type { KubeServer, Reply, RequestHeaders } from "../kube/server.ts";
import { waitUntil } from "../peers/wait.ts";
import {
  builtInstallation,
  clonedInstallation,
  emptyInstallation,
  script,
} from "./installation.ts";
import type { Installation } from "./installation.ts";

const visitor = { authorization: "", accept: "text/html" };

describe("files of the console", () => {
  let installation: Installation;
  let server: KubeServer;
  const get = (path: string, headers: RequestHeaders = {}, method = "GET"): Promise<Reply> =>
    server.request(method, path, undefined, { ...visitor, ...headers });

  before(async () => {
    installation = await builtInstallation();
    server = await startKubeServer({ consoleRoot: installation.root });
  });

  after(async () => {
    await server.stop();
    await installation[Symbol.asyncDispose]();
  });

  it("the page has a policy without inline code, and is not shown in frames", async () => {
    const { status, headers, text } = await get("/console/");
    assert.equal(status, 200);
    assert.match(text, /<title>Console/);
    assert.equal(headers["content-type"], "text/html; charset=utf-8");
    const policy = String(headers["content-security-policy"]);
    for (const part of [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ]) {
      assert.ok(policy.split("; ").includes(part), part);
    }
    assert.doesNotMatch(policy, /unsafe|\*|https?:/);
    assert.equal(headers["x-content-type-options"], "nosniff");
    assert.equal(headers["referrer-policy"], "no-referrer");
    assert.equal(headers["cache-control"], "no-cache");
  });

  it("files with a hash in their name are cached for a year, and others are checked", async () => {
    const asset = await get("/console/assets/index-4f2a.js");
    assert.equal(asset.text, script);
    assert.equal(asset.headers["cache-control"], "public, max-age=31536000, immutable");
    const other = await get("/console/mark.svg");
    assert.equal(other.headers["content-type"], "image/svg+xml");
    assert.equal(other.headers["cache-control"], "no-cache");
  });

  it("a client gets the smallest form that it accepts, each with its own ETag", async () => {
    const path = "/console/assets/index-4f2a.js";
    const [plain, gzip, brotli] = await Promise.all(
      ["identity", "gzip, br;q=0", "gzip, deflate, br"].map((accepted) =>
        get(path, { "accept-encoding": accepted }),
      ),
    );
    assert.equal(plain?.headers["content-encoding"], undefined);
    assert.equal(gzip?.headers["content-encoding"], "gzip");
    assert.equal(brotli?.headers["content-encoding"], "br");
    assert.equal(gunzipSync(gzip?.bytes ?? "").toString(), script);
    assert.equal(brotliDecompressSync(brotli?.bytes ?? "").toString(), script);
    const tags = [plain, gzip, brotli].map((reply) => reply?.headers.etag);
    assert.equal(new Set(tags).size, 3);
    assert.equal(plain?.headers.vary, "accept-encoding");
  });

  it("an unchanged file is answered with 304, and HEAD without a body", async () => {
    const { headers } = await get("/console/mark.svg");
    const tag = String(headers.etag);
    const again = await get("/console/mark.svg", { "if-none-match": `"other", W/${tag}` });
    assert.equal(again.status, 304);
    assert.equal(again.bytes.length, 0);
    const head = await get("/console/mark.svg", {}, "HEAD");
    assert.equal(head.status, 200);
    assert.equal(head.bytes.length, 0);
    assert.equal(head.headers["content-length"], headers["content-length"]);
  });

  it("paths of pages are answered with the page, and missing assets with 404", async () => {
    for (const path of ["x/databases.shop.example/a/b?at=4", "sign-in", "x//y"]) {
      const { status, text } = await get(`/console/${path}`);
      assert.equal(status, 200, path);
      assert.match(text, /<title>Console/);
    }
    assert.equal((await get("/console/assets/index-old.js")).status, 404);
    assert.equal((await get("/console/mark.svg", {}, "DELETE")).status, 405);
    const root = await get("/console");
    assert.equal(root.status, 308);
    assert.equal(root.headers.location, "/console/");
  });

  it("no path leaves the folder of the build", async () => {
    for (const path of [
      "/console/../../package.json",
      "/console/assets/../../../package.json",
      "/console/..%2f..%2fpackage.json",
      "/console/%2e%2e/%2e%2e/package.json",
      "/console/assets/..%5c..%5c..%5cpackage.json",
      "/console//etc/passwd",
      "/console/assets/%00",
    ]) {
      const { text } = await get(path);
      assert.doesNotMatch(text, /outside|root:/, path);
    }
  });
});

describe("the console of a clone", () => {
  it("is built once for each state of its sources, and shows what the build does", async () => {
    await using installation = await clonedInstallation("<b>broken");
    {
      await using server = await startKubeServer({ consoleRoot: installation.root });
      const get = (): Promise<Reply> => server.request("GET", "/console/x", undefined, visitor);
      const first = await get();
      assert.equal(first.status, 200);
      assert.match(first.text, /Building the console/);
      assert.match(first.text, /http-equiv="refresh"/);
      assert.match(String(first.headers["content-security-policy"]), /style-src 'self'/);
      const style = /href="([^"]+)"/.exec(first.text)?.[1] ?? "";
      const sheet = await server.request("GET", style, undefined, visitor);
      assert.equal(sheet.headers["content-type"], "text/css; charset=utf-8");
      await installation.write("gate", "");
      await waitUntil("the error", async () => (await get()).status === 500);
      const failed = await get();
      assert.match(failed.text, /The console was not built/);
      assert.match(failed.text, /index\.html:1: unexpected token/);
      assert.ok(!failed.text.includes(installation.root));
      await installation.write("console/index.html", "<title>Corrected</title>");
      await waitUntil("the build", async () => (await get()).text.includes("Corrected"));
    }
    await using again = openConsoleSite(silent, installation.root);
    const state = await again.state();
    assert.ok(state.kind === "ready");
    assert.match(String(state.files.get("index.html")?.plain), /Corrected/);
  });

  it("is absent without sources, and can be switched off", async () => {
    await using installation = await emptyInstallation();
    await using site = openConsoleSite(silent, installation.root);
    assert.deepEqual(await site.state(), { kind: "absent" });
    await using server = await startKubeServer({ consoleRoot: installation.root, console: false });
    const off = await server.request("GET", "/console/", undefined, visitor);
    assert.equal(off.status, 403);
  });
});

const silent = logger(() => undefined, systemClock, "error");
