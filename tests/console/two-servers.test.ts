// Sessions are in the store: a browser continues at another server, and a sign-out, a used link and
// a stream end there as well.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { pick, pickText, startKubeServer } from "../kube/server.ts";
import type { KubeServer } from "../kube/server.ts";
import { startPostgres } from "../peers/postgres.ts";
import type { Postgres } from "../peers/postgres.ts";
import { Browser } from "./browser.ts";

const session = "/console/api/session";

describe("sessions of two servers on one database", () => {
  let postgres: Postgres;
  let folder: string;
  let first: KubeServer;
  let second: KubeServer;

  before(async () => {
    postgres = await startPostgres();
    folder = await mkdtemp(join(tmpdir(), "setpoint-two-"));
    const store = postgres.url(await postgres.createDatabase());
    const keys = join(folder, "keys.json");
    first = await startKubeServer({ store, keys });
    second = await startKubeServer({ store, keys });
  });

  after(async () => {
    await Promise.all([first.stop(), second.stop()]);
    await postgres[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  /** A browser in front of both servers, as behind a balancer. */
  const atBoth = async (token: string): Promise<readonly [Browser, Browser]> => {
    const [one, two] = [new Browser(first.url, first.ca), new Browser(second.url, second.ca)];
    assert.equal((await one.request("POST", session, { body: { token } })).status, 204);
    for (const [name, cookie] of one.cookies) two.cookies.set(name, cookie);
    return [one, two];
  };

  const robotToken = async (): Promise<string> => {
    const accounts = "/api/v1/namespaces/default/serviceaccounts";
    await first.request("POST", accounts, { metadata: { name: "robot" } });
    const made = await first.request("POST", `${accounts}/robot/token`, { spec: {} });
    return pickText(made.json, "status.token");
  };

  it("a session begins at one server, works at the other, and ends at both", async () => {
    const [one, two] = await atBoth(await robotToken());
    const shown = await two.request("GET", session);
    assert.equal(pick(shown.json, "user"), "system:serviceaccount:default:robot");
    const body = { spec: { namespace: "default" } };
    const reviews = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews";
    assert.equal((await two.request("POST", reviews, { body })).status, 201);
    assert.equal((await one.request("DELETE", session)).status, 204);
    assert.equal((await two.request("GET", session)).status, 401);
  });

  it("a stream at one server ends with a sign-out everywhere at the other", async () => {
    const accounts = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings";
    const token = await robotToken();
    await first.request("POST", accounts, {
      metadata: { name: "robot" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
      subjects: [{ kind: "ServiceAccount", namespace: "default", name: "robot" }],
    });
    const [one, two] = await atBoth(token);
    const path = "/api/v1/namespaces/default/configmaps?watch=true";
    const stream = await two.open("GET", path);
    assert.equal(stream.statusCode, 200);
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    stream.once("close", resolve);
    stream.resume().on("error", () => undefined);
    assert.equal((await one.request("DELETE", "/console/api/sessions")).status, 204);
    await closed;
  });

  it("a link that was used at one server does not work at the other", async () => {
    const { json } = await first.request("POST", "/console/api/links", {});
    const { pathname, search } = new URL(pickText(json, "url"));
    const [one, two] = [new Browser(first.url, first.ca), new Browser(second.url, second.ca)];
    await one.visit(`${pathname}${search}`);
    assert.equal(one.cookies.size, 1);
    const used = await two.visit(`${pathname}${search}`);
    assert.equal(used.headers.location, "/console/sign-in?reason=link-used");
    assert.equal(two.cookies.size, 0);
  });
});
