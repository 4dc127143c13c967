// Tokens of real OpenID providers at a real server: claims become users, each issuer is known by
// its own configuration, and keys rotate while the server runs.
import { deepEqual, equal, match } from "node:assert/strict";
import { after, before, test } from "node:test";
import { limits } from "../../src/kernel/limits.ts";
import { pick, startKubeServer } from "../kube/server.ts";
import type { KubeServer } from "../kube/server.ts";
import { startOidcProvider } from "../peers/oidc-provider.ts";
import type { OidcPeer } from "../peers/oidc-provider.ts";
import { waitUntil } from "../peers/wait.ts";

const issuerKey = "authentication.setpoint.dev/issuer";

const claims = {
  preferred_username: "ann",
  org_id: "13640203",
  account_id: 9007199254740992,
  is_org_admin: true,
  realm_access: { roles: ["admin-read", "admin-full"] },
  typ: "Bearer",
};

let [people, admins, agents]: OidcPeer[] = [];
let server: KubeServer;

before(async () => {
  const secret = "only-for-tests";
  const clients = [{ id: "ann", secret, claims }];
  people = await startOidcProvider({ clients, audience: "fleet" });
  admins = await startOidcProvider({ clients, algorithm: "ES256" });
  agents = await startOidcProvider({
    clients: [{ id: "agent", secret, claims: { cluster_id: "c-1" } }],
  });
  server = await startKubeServer({
    oidc: [
      {
        issuer: people.issuer,
        http: true,
        audiences: ["fleet"],
        usernameClaims: ["username", "preferred_username"],
        usernamePrefix: "sso:",
        groupsClaim: "realm_access.roles",
        groupsPrefix: "role:",
        requiredClaims: { typ: "Bearer" },
        requireIssuedAt: true,
        extraClaims: {
          org_id: "org_id",
          account_id: "account_id",
          is_org_admin: "is_org_admin",
          roles: "realm_access.roles",
        },
      },
      { issuer: admins.issuer, http: true, audiences: [], anyAudience: true },
      {
        issuer: agents.issuer,
        http: true,
        audiences: ["setpoint"],
        extraClaims: { cluster_id: "cluster_id" },
      },
    ],
  });
});

after(async () => {
  await server[Symbol.asyncDispose]();
  for (const provider of [people, admins, agents]) await provider?.[Symbol.asyncDispose]();
});

/** The user as the server knows it, or the status of the refusal. */
async function whoami(token: string): Promise<unknown> {
  const path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
  const body = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
  const authorization = `Bearer ${token}`;
  const { status, json } = await server.request("POST", path, body, { authorization });
  return status === 201 ? pick(json, "status.userInfo") : status;
}

test("claims of a provider become name, groups and extra values", async () => {
  const { issuer } = people ?? {};
  deepEqual(await whoami((await people?.token("ann")) ?? ""), {
    username: "sso:ann",
    groups: ["role:admin-read", "role:admin-full", "system:authenticated"],
    extra: {
      org_id: ["13640203"],
      account_id: ["9007199254740992"],
      is_org_admin: ["true"],
      roles: ["admin-read", "admin-full"],
      [issuerKey]: [issuer],
    },
  });
});

test("each issuer has its own rules, and its users carry its name", async () => {
  deepEqual(await whoami((await admins?.token("ann")) ?? ""), {
    username: `${admins?.issuer}#ann`,
    groups: ["system:authenticated"],
    extra: { [issuerKey]: [admins?.issuer] },
  });
  deepEqual(await whoami((await agents?.token("agent")) ?? ""), {
    username: `${agents?.issuer}#agent`,
    groups: ["system:authenticated"],
    extra: { cluster_id: ["c-1"], [issuerKey]: [agents?.issuer] },
  });
});

test("service accounts and the administrator carry no issuer", async () => {
  deepEqual(pick(await whoami(server.token), "extra"), undefined);
  await server.request("POST", "/api/v1/namespaces/default/serviceaccounts", {
    metadata: { name: "robot" },
  });
  const path = "/api/v1/namespaces/default/serviceaccounts/robot/token";
  const made = await server.request("POST", path, { spec: {} });
  const user = await whoami(String(pick(made.json, "status.token")));
  match(String(pick(user, "username")), /^system:serviceaccount:default:robot$/);
  deepEqual(Object.keys(pick(user, "extra") as object), [
    "authentication.kubernetes.io/credential-id",
  ]);
});

test("a rotated key is accepted without a restart, and random key ids are no flood", async () => {
  const provider = agents as OidcPeer;
  equal(pick(await whoami(await provider.token("agent")), "username"), `${provider.issuer}#agent`);
  const readsBefore = provider.requests.filter((request) => request === "GET /jwks").length;
  await provider.rotateKeys();
  const token = await provider.token("agent");
  const startedAtMs = performance.now();
  await waitUntil("the new key to be accepted", async () => {
    const exp = Math.floor(Date.now() / 1_000) + 60;
    const forged = await provider.sign({ iss: provider.issuer, exp }, { kid: crypto.randomUUID() });
    equal(await whoami(forged), 401);
    return (await whoami(token)) !== 401;
  });
  const reads = provider.requests.filter((request) => request === "GET /jwks").length - readsBefore;
  const elapsedMs = performance.now() - startedAtMs;
  equal(reads <= 1 + Math.ceil(elapsedMs / limits.openidRetryMs), true, `${reads} reads`);
});

test("the log reports a provider that does not answer, and the server continues", async () => {
  await using other = await startOidcProvider({ clients: [{ id: "a", secret: "only-for-tests" }] });
  await using another = await startKubeServer({
    oidc: [{ issuer: other.issuer, http: true, audiences: ["setpoint"] }],
  });
  const token = await other.token("a");
  other.setDown(true);
  const authorization = `Bearer ${token}`;
  const { status, headers } = await another.request("GET", "/api", undefined, { authorization });
  equal(status, 401);
  match(String(headers["www-authenticate"]), /unverifiable token: the keys of its issuer cannot/);
  const line = another.lines.find((each) => each.includes("keys of OpenID provider not read"));
  match(line ?? "", /answered 503/);
  equal(another.lines.join("\n").includes(token), false);
});
