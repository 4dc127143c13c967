// Sign-in with the authorization code flow at a real OpenID provider: the way of a user, and what
// happens when a state, a code, a nonce or the provider is not the expected one.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { pick, startKubeServer } from "../kube/server.ts";
import type { KubeServer } from "../kube/server.ts";
import { OidcBrowser } from "../peers/oidc-browser.ts";
import { startOidcProvider } from "../peers/oidc-provider.ts";
import type { OidcPeer } from "../peers/oidc-provider.ts";
import { freePort } from "../peers/service.ts";
import { Browser } from "./browser.ts";

const session = "/console/api/session";
const callback = "/console/oidc/callback";
const clientSecret = "only-for-tests";

describe("sign-in with an OpenID provider", () => {
  let folder: string;
  let provider: OidcPeer;
  let server: KubeServer;
  let port = 0;
  let origin = "";

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "setpoint-oidc-"));
    const clientSecretFile = join(folder, "secret");
    await writeFile(clientSecretFile, `${clientSecret}\n`);
    port = await freePort();
    origin = `http://127.0.0.1:${port}`;
    const redirectUris = [`${origin}${callback}`];
    provider = await startOidcProvider({
      clients: [{ id: "console", secret: clientSecret, redirectUris }],
    });
    const shared = { issuer: provider.issuer, http: true, usernamePrefix: "sso:" };
    server = await startKubeServer({
      consoleListen: `127.0.0.1:${port}`,
      oidc: [
        {
          ...shared,
          audiences: ["console"],
          console: { clientId: "console", clientSecretFile, name: "Example SSO" },
        },
      ],
    });
  });

  after(async () => {
    await server.stop();
    await provider[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  const start = async (browser: Browser, next = "/console/x"): Promise<string> => {
    const query = new URLSearchParams({ issuer: "Example SSO", next });
    const { status, headers } = await browser.visit(`/console/oidc/start?${query.toString()}`);
    assert.equal(status, 303);
    return String(headers.location);
  };
  /** The path and query of the redirect of the provider. */
  const comeBack = async (page: string, login = "ann"): Promise<string> => {
    const url = await new OidcBrowser().signIn(page, login, `${origin}${callback}`);
    return url.slice(origin.length);
  };
  /** As a browser requests it: from the page of another site. */
  const arrive = async (
    browser: Browser,
    path: string,
  ): Promise<{ readonly status: number; readonly location: string }> => {
    const headers = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" };
    const reply = await browser.request("GET", path, { headers });
    return { status: reply.status, location: String(reply.headers.location) };
  };

  it("the sign-in page learns the names of the providers", async () => {
    const { json } = await new Browser(origin).request("GET", session);
    assert.deepEqual(pick(json, "methods"), ["link", "token", "oidc"]);
    assert.deepEqual(pick(json, "issuers"), [{ name: "Example SSO" }]);
  });

  it("a user signs in at the provider and comes back to the page", async () => {
    const browser = new Browser(origin);
    const page = await start(browser, "/console/x/databases.shop.example?ns=a");
    const { searchParams } = new URL(page);
    assert.equal(searchParams.get("code_challenge_method"), "S256");
    assert.equal(searchParams.get("response_type"), "code");
    const { path } = browser.cookies.get("setpoint-oidc") ?? {};
    assert.equal(path, callback);
    const { status, location } = await arrive(browser, await comeBack(page));
    assert.equal(status, 303);
    assert.equal(location, "/console/x/databases.shop.example?ns=a");
    assert.ok(!browser.cookies.has("setpoint-oidc"));
    const { json } = await browser.request("GET", session);
    assert.equal(pick(json, "user"), "sso:ann");
    assert.equal(pick(json, "method"), "oidc");
  });

  it("a code is accepted once, and only from the browser that began", async () => {
    const browser = new Browser(origin);
    const path = await comeBack(await start(browser));
    const thief = new Browser(origin);
    const stolen = await arrive(thief, path);
    assert.match(stolen.location, /^\/console\/sign-in\?reason=oidc-state/);
    // With a sign-in of its own, the state of the stolen code is another one.
    await start(thief);
    const mixed = await arrive(thief, path);
    assert.match(mixed.location, /reason=oidc-state/);
    // Even with the right state, the verifier of PKCE is another one.
    const own = await start(thief);
    const state = new URL(own).searchParams.get("state") ?? "";
    const code = new URL(path, origin).searchParams.get("code") ?? "";
    const injected = await arrive(thief, `${callback}?code=${code}&state=${state}`);
    assert.match(injected.location, /reason=oidc-failed/);
    assert.deepEqual([...thief.cookies.keys()], []);
  });

  it("a repeated callback begins no session", async () => {
    const browser = new Browser(origin);
    const path = await comeBack(await start(browser));
    await arrive(browser, path);
    const again = await arrive(browser, path);
    assert.match(again.location, /reason=oidc-state/);
  });

  it("the answer of another issuer is refused", async () => {
    const browser = new Browser(origin);
    const path = await comeBack(await start(browser));
    const url = new URL(path, origin);
    url.searchParams.set("iss", "https://evil.example");
    const { location } = await arrive(browser, `${url.pathname}${url.search}`);
    assert.match(location, /reason=oidc-state/);
  });

  it("a user who refuses returns to the sign-in page", async () => {
    const browser = new Browser(origin);
    const page = await start(browser, "/console/y");
    const state = new URL(page).searchParams.get("state") ?? "";
    const { location } = await arrive(browser, `${callback}?error=access_denied&state=${state}`);
    assert.equal(location, "/console/sign-in?reason=oidc-denied&next=%2Fconsole%2Fy");
  });

  it("an unknown provider, and one that does not answer, are named as the reason", async () => {
    const browser = new Browser(origin);
    const unknown = await browser.visit("/console/oidc/start?issuer=other");
    assert.equal(unknown.headers.location, "/console/sign-in?reason=issuer-unknown");
    const page = await start(browser);
    const path = await comeBack(page);
    provider.setDown(true);
    try {
      const { location } = await arrive(browser, path);
      assert.match(location, /reason=oidc-failed/);
    } finally {
      provider.setDown(false);
    }
  });

  it("no sign-in leads to another site, and no secret is in the log", async () => {
    const browser = new Browser(origin);
    const page = await start(browser, "//evil.example/");
    const { location } = await arrive(browser, await comeBack(page));
    assert.equal(location, "/console/");
    const id = browser.cookies.get(`setpoint-session-${port}`)?.value ?? "";
    assert.notEqual(id, "");
    for (const secret of [id, clientSecret]) assert.ok(!server.lines.join("\n").includes(secret));
  });
});
