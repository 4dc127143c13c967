// Organisations: their namespace, the rights of members, quotas, and new members.
import assert from "node:assert/strict";
import { it } from "node:test";
import { systemCaller } from "../../src/intents/bootstrap.ts";
import { isSetpointError } from "../../src/kernel/errors.ts";
import { objectsAt, textAt, valueAt } from "../../src/kernel/json-read.ts";
import type { Resource } from "../../src/kernel/resource.ts";
import { ensureMember } from "../../src/modules/fleet/organisations/ensure-member.ts";
import { conditionOf, instance, instanceAt, openMemoryFleet } from "./memory-fleet.ts";
import { organisationAt } from "./memory-fleet.ts";

const namespace = { apiVersion: "v1", kind: "Namespace", name: "org-acme" };
const rbacVersion = "rbac.authorization.k8s.io/v1";
const binding = {
  apiVersion: rbacVersion,
  kind: "RoleBinding",
  namespace: "org-acme",
  name: "fleet-members",
};

function subjects(resource: Resource | undefined): readonly string[] {
  return objectsAt(resource, "subjects").map((subject) => textAt(subject, "name"));
}

it("an Organisation has a namespace, and its members may read the instances in it", async () => {
  await using fleet = await openMemoryFleet();
  await fleet.offer();
  await fleet.organise("acme", {
    members: [{ user: "alice" }, { user: "eve", isDenied: true }],
  });
  assert.equal(conditionOf(await fleet.memory.read(organisationAt()), "Ready"), "True Available");
  assert.ok((await fleet.memory.read(namespace)) !== undefined);
  assert.deepEqual(subjects(await fleet.memory.read(binding)), ["alice"]);
  const { rbac } = fleet.memory.plane;
  const may = (verb: string, resource: string, group = "dinosaurs.example.dev"): boolean =>
    rbac.authorize(
      { name: "alice", groups: [], extra: {} },
      { kind: "resource", verb, group, resource, subresource: "", namespace: "org-acme", name: "" },
    ).allowed;
  assert.equal(may("list", "dinosaurs"), true);
  assert.equal(may("create", "dinosaurs"), false);
  assert.equal(may("get", "secrets", ""), false);
  await fleet.memory.patch(organisationAt(), { spec: { isDenied: true } });
  await fleet.pass();
  assert.deepEqual(subjects(await fleet.memory.read(binding)), []);
});

it("the namespace is removed with the Organisation, when no instance is left", async () => {
  await using fleet = await openMemoryFleet();
  await fleet.offer();
  await fleet.organise();
  await fleet.as("alice").create(instance("rex"));
  await assert.rejects(
    fleet.memory.remove(organisationAt()),
    (error) =>
      isSetpointError(error) && /it has 1 instance in the namespace org-acme/.test(error.message),
  );
  await fleet.as("alice").remove(instanceAt("rex"));
  await fleet.pass(5_000);
  await fleet.memory.remove(organisationAt());
  await fleet.pass(60_000);
  assert.equal(await fleet.memory.read(organisationAt()), undefined);
  assert.equal(await fleet.memory.read(namespace), undefined);
});

it("members and quotas that occur twice are refused", async () => {
  await using fleet = await openMemoryFleet();
  await fleet.offer();
  const quota = { offering: "dinosaurs", type: "standard", max: 1 };
  await assert.rejects(
    fleet.organise("acme", {
      members: [{ user: "a" }, { user: "a" }],
      quotas: [quota, { ...quota, user: "a" }, { ...quota, max: 2 }],
    }),
    (error) =>
      isSetpointError(error) &&
      /spec\.members\[1\]\.user: Duplicate/.test(error.message) &&
      /spec\.quotas\[2\]: Duplicate/.test(error.message),
  );
  await assert.rejects(
    fleet.organise("acme", { quotas: [{ ...quota, user: "a", users: ["b"] }] }),
    (error) => isSetpointError(error) && /spec\.quotas\[0\]\.users/.test(error.message),
  );
});

it("many first requests of an organisation create it once and add each member once", async () => {
  await using fleet = await openMemoryFleet();
  await fleet.offer();
  const { intents } = fleet.memory.plane;
  const member = (user: string) => ({
    user,
    organisation: "acme",
    organisationName: "Acme",
    account: `account-${user}`,
  });
  const users = ["ann", "ben", "cleo", "dan", "eli"];
  await Promise.all(
    Array.from({ length: 25 }, (_, at) =>
      ensureMember(intents, member(users[at % users.length] ?? ""), systemCaller),
    ),
  );
  const organisation = await fleet.memory.read(organisationAt());
  const members = objectsAt(organisation?.spec, "members");
  assert.deepEqual(members.map((each) => textAt(each, "user")).toSorted(), users);
  assert.equal(textAt(members[0], "account"), `account-${textAt(members[0], "user")}`);
  assert.ok((await fleet.memory.read(namespace)) !== undefined);
  // The work on the Organisation ends first.
  await fleet.pass();
  const head = (await fleet.memory.store.head()).revision;
  await ensureMember(intents, member("ann"), systemCaller);
  assert.equal((await fleet.memory.store.head()).revision, head, "a known member costs no write");
});

it("the status shows how much of each quota is used", async () => {
  await using fleet = await openMemoryFleet();
  await fleet.offer();
  const quotas = [
    { offering: "dinosaurs", type: "standard", max: 2, users: ["alice"] },
    { offering: "dinosaurs", type: "standard", max: 5, user: "bob" },
  ];
  await fleet.organise("acme", { quotas });
  await fleet.as("alice").create(instance("rex"));
  await fleet.as("bob").create(instance("tri"));
  await fleet.as("bob").create(instance("ste"));
  await fleet.pass(5_000);
  const organisation = await fleet.memory.read(organisationAt());
  assert.deepEqual(valueAt(organisation?.status, "usage"), [
    { offering: "dinosaurs", type: "standard", used: 1, max: 2 },
    { offering: "dinosaurs", type: "standard", user: "bob", used: 2, max: 5 },
  ]);
});
