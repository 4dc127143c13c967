// Sessions of browsers at a real server: sign-in with a token and with a link, what the cookie may
// do on every surface, what pages of other sites may not do, and how sessions end.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { sessionLimits } from "../../src/intents/sessions/session-limits.ts";
import { pick, pickList, pickText, startKubeServer } from "../kube/server.ts";
import type { KubeServer } from "../kube/server.ts";
import { waitUntil } from "../peers/wait.ts";
import { Browser } from "./browser.ts";
import { builtInstallation } from "./installation.ts";
import type { Installation } from "./installation.ts";

const session = "/console/api/session";
const cookieName = "__Host-setpoint-session";
const configMaps = "/api/v1/namespaces/default/configmaps";

describe("sessions of the console", () => {
  let installation: Installation;
  let folder: string;
  let server: KubeServer;
  const newBrowser = (): Browser => new Browser(server.url, server.ca);
  const signedIn = async (token = server.token): Promise<Browser> => {
    const browser = newBrowser();
    const { status } = await browser.request("POST", session, { body: { token } });
    assert.equal(status, 204);
    return browser;
  };
  const newLink = async (): Promise<string> => {
    const { status, json } = await server.request("POST", "/console/api/links", {});
    assert.equal(status, 201);
    const { origin, pathname, search } = new URL(pickText(json, "url"));
    assert.equal(origin, server.url);
    return `${pathname}${search}`;
  };
  const accountToken = async (name: string): Promise<string> => {
    const accounts = "/api/v1/namespaces/default/serviceaccounts";
    await server.request("POST", accounts, { metadata: { name } });
    const made = await server.request("POST", `${accounts}/${name}/token`, { spec: {} });
    return pickText(made.json, "status.token");
  };

  before(async () => {
    installation = await builtInstallation();
    folder = await mkdtemp(join(tmpdir(), "setpoint-sessions-"));
    const policy = join(folder, "policy.yaml");
    await writeFile(
      policy,
      "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{ level: RequestResponse }]\n",
    );
    server = await startKubeServer({
      consoleRoot: installation.root,
      auditPolicy: policy,
      auditLog: join(folder, "audit.log"),
    });
  });

  after(async () => {
    await server.stop();
    await installation[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  it("without a session the answer states how to sign in", async () => {
    const { status, json, headers } = await newBrowser().request("GET", session);
    assert.equal(status, 401);
    assert.deepEqual(pick(json, "methods"), ["link", "token"]);
    assert.deepEqual(pick(json, "issuers"), []);
    assert.equal(headers["cache-control"], "no-store");
  });

  it("a token begins a session whose cookie no script can read", async () => {
    const browser = newBrowser();
    const refused = await browser.request("POST", session, { body: { token: "wrong" } });
    assert.equal(refused.status, 401);
    assert.equal(browser.cookies.size, 0);
    const body = { token: server.token };
    const { status, headers, text } = await browser.request("POST", session, { body });
    assert.equal(status, 204);
    assert.equal(text, "");
    const [line = ""] = headers["set-cookie"] ?? [];
    assert.match(line, new RegExp(`^${cookieName}=[\\w-]{43}; `));
    const attributes = ["Path=/", "Max-Age=86400", "HttpOnly", "SameSite=Strict", "Secure"];
    assert.deepEqual(line.split("; ").slice(1), attributes);
    const shown = await browser.request("GET", session);
    assert.equal(shown.status, 200);
    assert.equal(pick(shown.json, "user"), "setpoint:admin");
    assert.equal(pick(shown.json, "method"), "token");
    assert.match(pickText(shown.json, "server.version"), /^\d+\.\d+/);
    assert.ok(Date.parse(pickText(shown.json, "expiresAt")) > Date.now());
    assert.ok(!shown.text.includes(server.token));
  });

  it("a malformed sign-in names the field", async () => {
    const { status, json } = await newBrowser().request("POST", session, { body: { key: 1 } });
    assert.equal(status, 400);
    assert.match(JSON.stringify(json), /body\.token/);
  });

  it("the cookie authenticates on every surface, with the rights of the user", async () => {
    const admin = await signedIn();
    const body = { metadata: { name: "by-cookie" }, data: { a: "1" } };
    assert.equal((await admin.request("POST", configMaps, { body })).status, 201);
    assert.equal((await admin.request("GET", "/api/v1/counts")).status, 200);
    const history = await admin.request(
      "GET",
      "/api/v1/history/configmaps/by-cookie?namespace=default",
    );
    assert.match(history.text, /setpoint:admin/);
    const robot = await signedIn(await accountToken("robot"));
    const shown = await robot.request("GET", session);
    assert.equal(pick(shown.json, "user"), "system:serviceaccount:default:robot");
    assert.equal((await robot.request("GET", configMaps)).status, 403);
  });

  it("a user without rights begins sessions and links at a bounded rate", async () => {
    const authorization = `Bearer ${await accountToken("busy")}`;
    const headers = { authorization };
    const statuses: number[] = [];
    const links: string[] = [];
    // One in a second is always allowed.
    for (let at = 0; at < 3 * sessionLimits.signInBurst && !statuses.includes(429); at += 1) {
      const answer = await server.request("POST", "/console/api/links", {}, headers);
      statuses.push(answer.status);
      if (answer.status === 201) links.push(String(pick(answer.json, "url")));
    }
    assert.ok(statuses.length > sessionLimits.signInBurst, `${statuses.length} links`);
    assert.deepEqual(new Set(statuses), new Set([201, 429]));
    // A refusal would use up a link.
    for (const link of links.slice(0, 20)) {
      const { pathname, search } = new URL(link);
      const opened = await newBrowser().visit(pathname + search);
      assert.equal(opened.headers.location, "/console/");
    }
    await signedIn();
  });

  it("a page of another site cannot use the cookie to change anything", async () => {
    const browser = await signedIn();
    const attempts = [
      { origin: "https://evil.example" },
      { origin: "null" },
      { origin: server.url.replace("https:", "http:") },
      { origin: undefined, "sec-fetch-site": undefined },
      { origin: undefined, "sec-fetch-site": "cross-site" },
      { origin: undefined, "sec-fetch-site": "same-site" },
      { origin: undefined, "sec-fetch-site": "none", "sec-fetch-mode": "navigate" },
    ];
    for (const headers of attempts) {
      const body = { metadata: { name: "forged" } };
      const { status } = await browser.request("POST", configMaps, { body, headers });
      assert.equal(status, 403, JSON.stringify(headers));
    }
    const { status } = await browser.request("GET", `${configMaps}/forged`);
    assert.equal(status, 404);
    const image = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" };
    assert.equal((await browser.request("GET", configMaps, { headers: image })).status, 403);
    const signIn = { body: { token: server.token }, headers: { origin: "https://evil.example" } };
    assert.equal((await browser.request("POST", session, signIn)).status, 403);
    assert.equal((await browser.request("GET", session)).status, 200);
  });

  it("a name that points to this server cannot use the cookie", async () => {
    const browser = await signedIn();
    const { port } = new URL(server.url);
    for (const host of [`evil.example:${port}`, "evil.example", "127.0.0.1.evil.example", "a b"]) {
      const headers = { host, origin: `https://${host}` };
      const { status } = await browser.request("GET", configMaps, { headers });
      assert.ok(status === 403 || status === 400, `${host} ${status}`);
      const link = await browser.request("GET", await newLink(), { headers: { host } });
      assert.ok(link.status === 403 || link.status === 400, `${host} ${link.status}`);
    }
    const headers = { host: `localhost:${port}` };
    assert.equal((await browser.request("GET", configMaps, { headers })).status, 200);
  });

  it("a request with the header Authorization does not use the cookie", async () => {
    const browser = await signedIn();
    const headers = { authorization: "Bearer wrong" };
    assert.equal((await browser.request("GET", session, { headers })).status, 401);
    const token = await accountToken("plain");
    const other = await browser.request("GET", session, {
      headers: { authorization: `Bearer ${token}` },
    });
    assert.equal(pick(other.json, "user"), "system:serviceaccount:default:plain");
  });

  it("two cookies of the same name count as none", async () => {
    const browser = await signedIn();
    const { value = "" } = browser.cookies.get(cookieName) ?? {};
    const cookie = `${cookieName}=${value}; ${cookieName}=${value}`;
    assert.equal((await browser.request("GET", session, { headers: { cookie } })).status, 401);
  });

  it("a link signs in once, and a used link names its reason", async () => {
    const link = await newLink();
    const preview = await newBrowser().request("HEAD", link);
    assert.equal(preview.status, 405);
    const browser = newBrowser();
    const { status, headers } = await browser.visit(`${link}&next=%2Fconsole%2Fx%3Fns%3Da`);
    assert.equal(status, 303);
    assert.equal(headers.location, "/console/x?ns=a");
    const shown = await browser.request("GET", session);
    assert.equal(pick(shown.json, "method"), "link");
    const again = newBrowser();
    const used = await again.visit(`${link}&next=%2Fconsole%2Fx`);
    assert.equal(used.headers.location, "/console/sign-in?reason=link-used&next=%2Fconsole%2Fx");
    assert.equal(again.cookies.size, 0);
    const unknown = await again.visit("/console/link?code=unknown");
    assert.equal(unknown.headers.location, "/console/sign-in?reason=link-unknown");
  });

  it("of simultaneous requests with one link, one begins a session", async () => {
    const link = await newLink();
    const browsers = Array.from({ length: 8 }, newBrowser);
    await Promise.all(browsers.map((browser) => browser.visit(link)));
    assert.equal(browsers.filter(({ cookies }) => cookies.size > 0).length, 1);
  });

  it("no link leads to another site", async () => {
    for (const next of [
      "https://evil.example/",
      "//evil.example/console/",
      "/\\evil.example/console/",
      "/console/../api/v1/doc",
      "/console/%5c..%5c..//evil.example",
      "/console\\..\\..\\/evil.example",
      "javascript:alert(1)",
      "/console/\r\nset-cookie: a=b",
      "/console/link?code=a",
      "/console/api/session",
      "/other",
    ]) {
      const link = await newLink();
      const { headers } = await newBrowser().visit(`${link}&next=${encodeURIComponent(next)}`);
      const to = new URL(String(headers.location), server.url);
      assert.equal(to.origin, server.url, next);
      assert.match(to.pathname, /^\/console\/(?!api|link)/, next);
    }
  });

  it("a sign-in replaces the session of the browser", async () => {
    const browser = await signedIn();
    const earlier = browser.cookies.get(cookieName)?.value ?? "";
    await browser.request("POST", session, { body: { token: server.token } });
    assert.notEqual(browser.cookies.get(cookieName)?.value, earlier);
    const headers = { cookie: `${cookieName}=${earlier}` };
    assert.equal((await newBrowser().request("GET", session, { headers })).status, 401);
  });

  it("a session ends with its account", async () => {
    const browser = await signedIn(await accountToken("leaver"));
    assert.equal((await browser.request("GET", session)).status, 200);
    await server.request("DELETE", "/api/v1/namespaces/default/serviceaccounts/leaver");
    const { status, text } = await browser.request("GET", session);
    assert.equal(status, 401);
    assert.match(text, /leaver/);
  });

  it("signing out ends the session and its streams", async () => {
    const browser = await signedIn();
    const stream = await browser.open("GET", `${configMaps}?watch=true`);
    assert.equal(stream.statusCode, 200);
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    stream.once("close", resolve);
    stream.resume().on("error", () => undefined);
    const { value = "" } = browser.cookies.get(cookieName) ?? {};
    assert.equal((await browser.request("DELETE", session)).status, 204);
    assert.equal(browser.cookies.size, 0);
    await closed;
    const headers = { cookie: `${cookieName}=${value}` };
    assert.equal((await newBrowser().request("GET", session, { headers })).status, 401);
  });

  it("a user sees and ends the own sessions only", async () => {
    const token = await accountToken("several");
    const [one, two] = [await signedIn(token), await signedIn(token)];
    const admin = await signedIn();
    const { json } = await one.request("GET", "/console/api/sessions");
    const items = pickList(json, "items");
    assert.equal(items.length, 2);
    assert.equal(items.filter((item) => pick(item, "isCurrent") === true).length, 1);
    assert.equal((await two.request("DELETE", "/console/api/sessions")).status, 204);
    assert.equal((await one.request("GET", session)).status, 401);
    assert.equal((await admin.request("GET", session)).status, 200);
  });

  it("neither the log nor the audit log contains a token, a code or an id", async () => {
    const link = await newLink();
    const code = link.split("code=")[1] ?? "";
    const browser = newBrowser();
    await browser.visit(link);
    const id = browser.cookies.get(cookieName)?.value ?? "";
    await browser.request("GET", "/api/v1/counts");
    const read = async (): Promise<string> => await readFile(join(folder, "audit.log"), "utf8");
    await waitUntil("the audit record", async () =>
      (await read()).includes('"console.setpoint.dev/signed-in":"setpoint:admin"'),
    );
    const text = (await read()) + server.lines.join("\n");
    for (const secret of [code, id, server.token]) assert.ok(!text.includes(secret));
    assert.match(text, /"requestURI":"\/console\/link"/);
  });
});
