// Who belongs to an Organisation: namespaces of other users, names for RBAC, issuers, and members
// whom a token names in another organisation.
import assert from "node:assert/strict";
import { it } from "node:test";
import { issuerKey } from "../../src/intents/auth/user.ts";
import type { UserInfo } from "../../src/intents/auth/user.ts";
import { systemCaller } from "../../src/intents/bootstrap.ts";
import { isSetpointError } from "../../src/kernel/errors.ts";
import type { JsonObject } from "../../src/kernel/json.ts";
import { objectsAt, textAt, textsAt } from "../../src/kernel/json-read.ts";
import { fleetCaller } from "../../src/modules/fleet/identity.ts";
import { followMembers } from "../../src/modules/fleet/member-directory.ts";
import { readOffering } from "../../src/modules/fleet/offering.ts";
import { followClaims } from "../../src/modules/fleet/organisations/claimed-membership.ts";
import { ensureMember } from "../../src/modules/fleet/organisations/ensure-member.ts";
import { memberOfCaller } from "../../src/modules/fleet/organisations/ensure-member.ts";
import { organisationsIn } from "../../src/modules/fleet/organisations/organisation-index.ts";
import { sampleOffering } from "../../src/modules/fleet/sample-offering.ts";
import { conditionOf, instance, openMemoryFleet, organisationAt } from "./memory-fleet.ts";
import type { MemoryFleet } from "./memory-fleet.ts";

const issuer = "https://customers.example";

/** A user with a token of an issuer. The name for RBAC is not the name that the claim states. */
function token(login: string, organisation: string, from = issuer): UserInfo {
  const extra = { [issuerKey]: [from], org_id: [organisation], login: [login] };
  return { name: `sso:${login}`, groups: [], extra };
}

/** What the public API does with a request that creates an instance. */
async function request(fleet: MemoryFleet, user: UserInfo, api: JsonObject = {}): Promise<string> {
  const { intents } = fleet.memory.plane;
  const { live } = intents;
  using directory = followMembers(live);
  const offering = readOffering(sampleOffering({ api: { claims: { user: "login", ...api } } }));
  const caller = fleetCaller(user, offering, directory);
  if (caller.organisation === undefined) return caller.organisationRefusal ?? "no organisation";
  await followClaims({ intents, organisations: organisationsIn(live) }, caller, systemCaller);
  await ensureMember(intents, memberOfCaller(caller), systemCaller);
  await fleet.pass();
  return "ok";
}

async function subjects(fleet: MemoryFleet, namespace: string): Promise<readonly string[]> {
  const apiVersion = "rbac.authorization.k8s.io/v1";
  const at = { apiVersion, kind: "RoleBinding", namespace, name: "fleet-members" };
  const binding = await fleet.memory.read(at);
  return objectsAt(binding, "subjects").map((subject) => textAt(subject, "name"));
}

async function users(fleet: MemoryFleet, organisation: string): Promise<readonly string[]> {
  const { spec } = (await fleet.memory.read(organisationAt(organisation))) ?? {};
  return objectsAt(spec, "members").map((member) => textAt(member, "user"));
}

it("a namespace that another user created is not adopted without the administrator", async () => {
  await using fleet = await openMemoryFleet();
  await fleet.offer();
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "org-acme" } };
  await fleet.memory.create(namespace);
  await fleet.organise();
  const read = async () => await fleet.memory.read(organisationAt());
  assert.equal(conditionOf(await read(), "Ready"), "False NamespaceTaken");
  assert.deepEqual(await subjects(fleet, "org-acme"), []);
  const isRefused = (error: unknown): boolean => isSetpointError(error, "fleet.namespace_taken");
  await assert.rejects(fleet.as("alice").create(instance("rex")), isRefused);
  const member = { organisation: "acme", organisationName: "acme", account: "" };
  const { intents } = fleet.memory.plane;
  for (const user of ["alice", "eve"]) {
    await assert.rejects(ensureMember(intents, { ...member, user }, systemCaller), isRefused);
  }
  await fleet.memory.patch(organisationAt(), { spec: { adoptsNamespace: true } });
  await fleet.pass();
  assert.equal(conditionOf(await read(), "Ready"), "True Available");
  await fleet.as("alice").create(instance("rex"));
});

it("members get rights by the name that RBAC knows, and not by the name of a claim", async () => {
  await using fleet = await openMemoryFleet();
  await fleet.offer();
  await fleet.organise("acme", { members: [{ user: "bob" }, { user: "carl", rbacUser: "" }] });
  assert.deepEqual(await subjects(fleet, "org-acme"), ["bob"]);
  assert.equal(await request(fleet, token("ann", "acme")), "ok");
  assert.equal(await request(fleet, token("carl", "acme")), "ok");
  assert.deepEqual((await subjects(fleet, "org-acme")).toSorted(), ["bob", "sso:ann", "sso:carl"]);
  assert.deepEqual((await users(fleet, "acme")).toSorted(), ["ann", "bob", "carl"]);
  const spec = async () => (await fleet.memory.read(organisationAt()))?.metadata.generation;
  const before = await spec();
  await request(fleet, token("ann", "acme"));
  assert.equal(await spec(), before, "nothing changes");
});

it("an organisation belongs to the first issuer that names it, and to those listed", async () => {
  await using fleet = await openMemoryFleet();
  await fleet.offer();
  const other = "https://other.example";
  assert.equal(await request(fleet, token("ann", "acme")), "ok");
  const { spec } = (await fleet.memory.read(organisationAt())) ?? {};
  assert.deepEqual(textsAt(spec, "issuers"), [issuer]);
  const refusal = await request(fleet, token("eve", "acme", other));
  assert.match(refusal, /the organisation acme does not accept tokens of the issuer https:\/\/oth/);
  assert.deepEqual(await users(fleet, "acme"), ["ann"]);
  await fleet.memory.patch(organisationAt(), { spec: { issuers: [issuer, other] } });
  assert.equal(await request(fleet, token("eve", "acme", other)), "ok");
  await fleet.organise("beta", { members: [{ user: "ann" }] });
  assert.equal(await request(fleet, token("ann", "beta", other)), "ok");
  assert.match(await request(fleet, token("eve", "beta")), /beta does not accept tokens/);
});

it("two issuers that name a new organisation at the same time do not share it", async () => {
  await using fleet = await openMemoryFleet();
  await fleet.offer();
  const { intents } = fleet.memory.plane;
  const joined = await Promise.allSettled(
    ["https://one.example", "https://two.example"].map(async (from, at) => {
      const claims = { login: `user-${at}`, issuer: from, claimedFrom: `${from} org_id` };
      const known = { organisation: "acme", organisationName: "acme", account: "" };
      await ensureMember(intents, { ...known, user: `user-${at}`, claims }, systemCaller);
    }),
  );
  assert.deepEqual(joined.map(({ status }) => status).toSorted(), ["fulfilled", "rejected"]);
  assert.equal((await users(fleet, "acme")).length, 1);
});

it("a member whom the claims name in another organisation leaves the earlier one", async () => {
  await using fleet = await openMemoryFleet();
  await fleet.offer();
  await fleet.organise("listed", { members: [{ user: "ann", rbacUser: "sso:ann" }] });
  await request(fleet, token("ann", "acme"));
  await request(fleet, token("ben", "acme"));
  await request(fleet, token("ann", "depts"), { organisation: ["login_dept", "org_id"] });
  assert.deepEqual(await users(fleet, "acme"), ["ann", "ben"], "other claims name it");
  await request(fleet, token("ann", "beta"));
  assert.deepEqual(await users(fleet, "acme"), ["ben"]);
  assert.deepEqual(await subjects(fleet, "org-acme"), ["sso:ben"]);
  assert.deepEqual(await subjects(fleet, "org-beta"), ["sso:ann"]);
  assert.deepEqual(await users(fleet, "listed"), ["ann"], "an administrator listed the member");
});
