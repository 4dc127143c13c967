// What is refused at once when somebody writes a resource that is kept in a service, and what
// modules can add to the loop by hooks.
import assert from "node:assert/strict";
import { it } from "node:test";
import { systemCaller, targetFor } from "../../src/intents/bootstrap.ts";
import { isSetpointError } from "../../src/kernel/errors.ts";
import type { Json, JsonObject } from "../../src/kernel/json.ts";
import { textAt } from "../../src/kernel/json-read.ts";
import {
  conditionOf,
  connectVersion,
  group,
  messageOf,
  openMemoryConnect,
  plainBinding,
  thingsKind,
} from "./memory-connect.ts";
import type { MemoryConnect } from "./memory-connect.ts";
import { writesOf } from "./memory-service.ts";
import { plannedResource } from "../../src/modules/connect/subresources/planned-resource.ts";

const fixedSize = [
  ...plainBinding.fields,
  { path: "/size", class: "create-only", from: "override" } as const,
  { path: "/serial", class: "read-only", from: "override" } as const,
];

async function refusal(write: Promise<unknown>): Promise<string> {
  try {
    await write;
  } catch (error) {
    if (isSetpointError(error)) return error.message;
    throw error;
  }
  return "";
}

it("fixes a create-only field once the object is there, and not before", async () => {
  const rule = { "x-setpoint-field-rule": "create-only" };
  for (const schema of [undefined, { properties: { size: { type: "integer", ...rule } } }]) {
    await using connect = await openMemoryConnect({
      binding: { fields: fixedSize },
      ...(schema && {
        schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true, ...schema },
      }),
    });
    const { service, pass } = connect;
    service.interfere = ({ method }) => (method === "POST" ? { status: 422 } : undefined);
    await connect.make("a", { name: "a", size: 1 });
    await pass();
    await connect.change("a", { spec: { size: 2 } });
    service.interfere = undefined;
    await pass();
    assert.equal(conditionOf(await connect.read("a"), "Ready"), "True Available");
    assert.match(
      await refusal(connect.change("a", { spec: { size: 3 } })),
      /spec\.size: Invalid value: 3: the field cannot be changed after creation: old 2, new 3/,
    );
    await connect.change("a", { spec: { size: 3 }, connect: { replace: ["/size"] } });
    await pass(10_000);
    assert.equal(service.objects.get("/things/a")?.["size"], 3);
  }
});

it("lets what was adopted by its id alone say what the object has, and nothing else", async () => {
  await using connect = await openMemoryConnect({ binding: { fields: fixedSize } });
  const { service, pass } = connect;
  service.objects.set("/things/a", { id: "a", size: 3, color: "red" });
  await connect.make("a", {}, { id: "a" });
  await pass();
  const fixed = /spec\.size: Invalid value: 4: the field cannot be changed after creation/;
  assert.match(await refusal(connect.change("a", { spec: { size: 4 } })), fixed);
  await connect.change("a", { spec: { size: 3, color: "blue" } });
  assert.match(await refusal(connect.change("a", { spec: { size: 4 } })), fixed);
  await pass();
  assert.deepEqual(service.objects.get("/things/a"), { id: "a", size: 3, color: "blue" });
});

it("drops what the service sets when it is repeated, and refuses to have it set", async () => {
  await using connect = await openMemoryConnect({ binding: { fields: fixedSize } });
  const { service, pass } = connect;
  service.keep = (next) => ({ ...next, serial: 7 });
  await connect.make("a", { name: "a" });
  await pass();
  const echoed = await connect.change("a", { spec: { serial: 7, color: "red" } });
  assert.deepEqual(echoed.spec, { name: "a", color: "red" });
  assert.match(
    await refusal(connect.change("a", { spec: { serial: 8 } })),
    /spec\.serial: Forbidden: is set only by the service/,
  );
  assert.match(await refusal(connect.make("b", { name: "b", serial: 1 })), /spec\.serial/);
});

it("fixes what names the object once it is there", async () => {
  await using connect = await openMemoryConnect({
    binding: { identity: { kind: "client", field: "/name", parameter: "id" } },
  });
  const { pass } = connect;
  await connect.make("a", { name: "one" });
  await pass();
  assert.match(
    await refusal(connect.change("a", { spec: { name: "two" } })),
    /spec\.name: Invalid value: "two": the field cannot be changed after creation/,
  );
  for (const connectPatch of [
    { id: "other" },
    { parent: { name: "p" } },
    { parameters: { x: "1" } },
    { connection: "other" },
  ] as readonly Json[]) {
    const said = await refusal(connect.change("a", { connect: connectPatch }));
    assert.match(said, /connect\.\w+: Invalid value: .*cannot be changed after creation/);
  }
  await connect.change("a", { connect: { id: "one" } });
  assert.match(await refusal(connect.change("a", { connect: { id: null } })), /connect\.id/);
});

it("refuses what contradicts itself", async () => {
  await using connect = await openMemoryConnect();
  const wrong: readonly (readonly [Json, RegExp])[] = [
    [{ manage: "observe", drift: "correct" }, /connect\.drift/],
    [{ manage: "keep", replace: ["/x"] }, /connect\.replace/],
    [{ id: "1", adopt: "any" }, /connect\.adopt/],
    [{ id: "1", replace: ["/x"] }, /connect\.replace/],
    [{ manage: "sometimes" }, /connect\.manage: Unsupported value/],
    [{ secrets: [{ field: "/name", secret: "s", key: "k" }] }, /connect\.secrets\[0\]\.field/],
  ];
  for (const [given, expected] of wrong) {
    assert.match(await refusal(connect.make("a", { name: "a" }, given as never)), expected);
  }
});

async function warningsOf(
  { memory }: MemoryConnect,
  management: JsonObject,
): Promise<readonly string[]> {
  const { intents } = memory.plane;
  const warnings: string[] = [];
  const given = {
    apiVersion: `${group}/v1`,
    kind: "Thing",
    metadata: { name: "a", namespace: "default" },
    spec: { name: "a" },
    connect: management,
  };
  const { target } = targetFor(intents, given);
  await plannedResource(intents, {
    caller: { ...systemCaller, warn: (text) => warnings.push(text) },
    target: { ...target, name: "a", namespace: "default" },
    stored: undefined,
    given,
    strictness: { mode: "Warn", decodeProblems: [] },
  });
  return warnings;
}

it("warns of a field to be replaced that is not fixed", async () => {
  await using connect = await openMemoryConnect({ binding: { fields: fixedSize } });
  assert.deepEqual(await warningsOf(connect, { replace: ["/size", "/nonsense"] }), [
    `connect.replace[1]: /nonsense is not a create-only field of the RestKind ${thingsKind}`,
  ]);
});

it("refuses a secret for an unknown field, and tells of one left in vain", async () => {
  const text = { type: "string" };
  const properties = {
    name: text,
    pin: text,
    tags: { type: "object", additionalProperties: text },
  };
  await using connect = await openMemoryConnect({
    schema: { type: "object", properties },
    binding: {
      fields: [...plainBinding.fields, { path: "/token", class: "write-only", from: "override" }],
    },
  });
  const made = async (name: string, field: string): Promise<string> =>
    await refusal(
      connect.make(name, { name }, { secrets: [{ field, secret: "pins", key: "pin" }] }),
    );
  assert.match(
    await made("a", "/pinn"),
    /connect\.secrets\[0\]\.field: Forbidden: the kind has no field \/pinn/,
  );
  assert.match(await made("a", "/pin/x"), /no field \/pin\/x/);
  // What the schema leaves out and the binding names may come from a Secret alone.
  for (const [index, field] of ["/pin", "/tags/x", "/token"].entries()) {
    assert.equal(await made(`good-${index}`, field), "");
  }
  const warnings = await warningsOf(connect, { leave: ["/pin", "/widht"] });
  assert.deepEqual(warnings, ["connect.leave[1]: the kind has no field /widht"]);
});

it("tells how a field without its slash is written", async () => {
  await using connect = await openMemoryConnect();
  const secrets = [{ field: "pin", secret: "pins", key: "pin" }];
  const given = { leave: ["width"], replace: ["size"], secrets };
  const said = await refusal(connect.make("a", { name: "a" }, given));
  for (const at of [
    "leave[0]: Forbidden: a field starts with a slash: write /width",
    "replace[0]: Forbidden: a field starts with a slash: write /size",
    "secrets[0].field: Forbidden: a field starts with a slash: write /pin",
  ]) {
    assert.ok(said.includes(`connect.${at}`), said);
  }
});

it("refuses a RestKind that cannot work, with everything that is wrong with it", async () => {
  await using connect = await openMemoryConnect();
  const { memory } = connect;
  const said = await refusal(
    memory.create({
      apiVersion: connectVersion,
      kind: "RestKind",
      metadata: { name: "others.example.dev" },
      spec: { ...plainBinding, item: "/a/{x}/{id}", ready: "observed.(" } as unknown as Json,
    }),
  );
  assert.match(said, /spec\.item: Forbidden: the parameter \{x\} has no source/);
  assert.match(said, /spec\.ready: Forbidden: compilation failed/);
  const url = await refusal(
    memory.create({
      apiVersion: connectVersion,
      kind: "Connection",
      metadata: { name: "c" },
      spec: { baseUrl: "https://me:hunter22@service" },
    }),
  );
  assert.match(url, /spec\.baseUrl: Forbidden: baseUrl must not contain a password/);
  assert.doesNotMatch(url, /hunter22/);
});

it("says of a RestKind whether it is in force", async () => {
  await using connect = await openMemoryConnect();
  const { memory, pass } = connect;
  const place = { apiVersion: connectVersion, kind: "RestKind" };
  assert.equal(
    conditionOf(await memory.read({ ...place, name: thingsKind }), "Accepted"),
    "True InForce",
  );
  await memory.create({
    ...place,
    metadata: { name: "others.example.dev" },
    spec: plainBinding as unknown as Json,
  });
  await pass();
  assert.equal(
    conditionOf(await memory.read({ ...place, name: "others.example.dev" }), "Accepted"),
    "False KindNotFound",
  );
});

it("reconciles anew by a changed RestKind, and no more by one that is gone", async () => {
  await using connect = await openMemoryConnect();
  const { service, memory, pass } = connect;
  await connect.make("a", { name: "a" });
  await pass();
  const place = { apiVersion: connectVersion, kind: "RestKind", name: thingsKind };
  await memory.patch(place, { spec: { ready: "observed.name == 'b'" } });
  await pass(2_000);
  assert.equal(conditionOf(await connect.read("a"), "Ready"), "False NotReady");
  await memory.remove(place);
  await pass();
  // It is needed for as long as there is a resource, unless a person knows better.
  await memory.patch(place, { metadata: { finalizers: null } });
  await pass();
  assert.equal(await memory.read(place), undefined);
  const requests = service.log.length;
  await pass(200_000);
  assert.equal(service.log.length, requests);
});

it("calls hooks around what it would do itself", async () => {
  await using connect = await openMemoryConnect({
    binding: {
      operations: { ...plainBinding.operations, patch: { method: "PATCH", style: "merge" } },
    },
    hooks: [
      {
        kind: thingsKind,
        mapDesired: async (desired, next) => ({ ...(await next(desired)), mapped: "yes" }),
        mapObserved: async (observed, next) => {
          const { mapped, ...rest } = await next(observed);
          return { ...rest, ...(mapped === undefined ? {} : { mapped }) };
        },
        beforeSend: async (request, next) => ({
          ...(await next(request)),
          headers: { "x-trace": "1" },
        }),
        chooseVerb: () => "replace",
        exportSecrets: async (documents, next) => ({
          ...(await next(documents)),
          "a-keys": { color: textAt(documents.observed, "color") },
        }),
        isReady: async (documents, next) =>
          documents.observed["color"] === "red"
            ? { isReady: false, reason: "WrongColor" }
            : await next(documents),
        classifyError: async (error, next) => (error.status === 418 ? "soon" : await next(error)),
        validate: (change, next) => {
          const { errors, warnings } = next(change);
          const isBad = JSON.stringify(change.object.spec).includes("bad");
          return {
            errors: isBad ? [...errors, { field: "spec.color", message: "is bad" }] : errors,
            warnings: [...warnings, "careful"],
          };
        },
      },
    ],
  });
  const { service, pass } = connect;
  assert.match(
    await refusal(connect.make("x", { color: "bad" })),
    /spec\.color: Forbidden: is bad/,
  );
  await connect.make("a", { name: "a", color: "red" });
  await pass();
  assert.equal(service.objects.get("/things/a")?.["mapped"], "yes");
  assert.equal(service.requests.at(-1)?.headers["x-trace"], "1");
  assert.equal(conditionOf(await connect.read("a"), "Ready"), "False WrongColor");
  await connect.change("a", { spec: { color: "blue" } });
  await pass();
  assert.deepEqual(writesOf(service), ["POST /things", "PUT /things/a"]);
  assert.equal(conditionOf(await connect.read("a"), "Ready"), "True Available");
  const place = { apiVersion: "v1", kind: "Secret", namespace: "default", name: "a-keys" };
  const secret = await connect.memory.read(place);
  assert.deepEqual(secret?.["data"], { color: Buffer.from("blue").toString("base64") });
  assert.equal(secret.metadata.ownerReferences?.[0]?.name, "a");
});

it("sends nothing when a hook fails, and names it", async () => {
  await using connect = await openMemoryConnect({
    hooks: [
      {
        kind: thingsKind,
        beforeSend: () => {
          throw new TypeError("password=hunter22");
        },
        validate: ({ object }, next) => {
          if (object.metadata.name === "b") throw new Error("password=hunter22");
          return next({ object });
        },
      },
    ],
  });
  const { service, pass } = connect;
  await connect.make("a", { name: "a" });
  await pass();
  const failed = await connect.read("a");
  assert.equal(conditionOf(failed, "Synced"), "False HookFailed");
  assert.equal(
    messageOf(failed, "Synced"),
    "the hook beforeSend of the module hooks failed (TypeError)",
  );
  assert.deepEqual(service.log, []);
  const said = await refusal(connect.make("b", { name: "b" }));
  assert.match(said, /the hook validate of the module hooks failed \(Error\)/);
  assert.doesNotMatch(`${said}${connect.lines.join("")}`, /hunter22/);
});

it("wants a spec where fields of it are required, except for what is adopted", async () => {
  const properties = { size: { type: "integer" } };
  await using connect = await openMemoryConnect({
    schema: { type: "object", required: ["size"], properties },
  });
  const { memory } = connect;
  const thing = { apiVersion: `${group}/v1`, kind: "Thing" };
  const make = async (name: string, more: JsonObject): Promise<unknown> =>
    await memory.create({ ...thing, metadata: { name, namespace: "default" }, ...more });
  const expected = /spec: Required value: can be left out only if connect\.id is set/;
  assert.match(await refusal(make("a", {})), expected);
  assert.match(await refusal(make("a", { connect: { drift: "report" } })), expected);
  assert.match(await refusal(make("a", { spec: {} })), /spec\.size: Required value/);
  await make("a", { connect: { id: "a" } });
  await make("b", { spec: { size: 1 } });
  assert.match(await refusal(connect.change("b", { spec: null })), expected);
  await connect.change("a", { metadata: { labels: { a: "b" } } });
});

it("wants no spec where nothing of it is required", async () => {
  await using connect = await openMemoryConnect();
  const metadata = { name: "a", namespace: "default" };
  await connect.memory.create({ apiVersion: `${group}/v1`, kind: "Thing", metadata });
});

it("explains an unknown field that the RestKind classifies as read-only", async () => {
  const text = { type: "string" };
  const why = { from: "name", why: "by its name", confidence: 0.63 } as const;
  await using connect = await openMemoryConnect({
    schema: { type: "object", properties: { name: text, owner: { type: "object" } } },
    binding: {
      fields: [
        ...plainBinding.fields,
        { path: "/state", class: "read-only", ...why },
        { path: "/rules/*/serial", class: "read-only", from: "annotation", why: "readOnly" },
      ],
    },
  });
  const reason = `only the service sets it, according to the RestKind ${thingsKind}`;
  const guess = `unknown field "spec.state" (${reason}: by its name, confidence 0.63)`;
  const made = connect.make("a", { name: "a", state: "on", nonsense: 1 });
  const refused = await refusal(made);
  assert.ok(refused.includes(guess), refused);
  assert.match(refused, /unknown field "spec\.nonsense"($|,)/);
  await connect.make("a", { name: "a" });
  const changed = await refusal(connect.change("a", { spec: { state: "on" } }));
  assert.ok(changed.includes(guess), changed);
});
