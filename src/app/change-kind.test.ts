// A module whose kind changed meets the resources that are stored: a schema that does not accept
// them is refused, and a migration is committed together with the definition.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { describeKind } from "../authoring/describe-kind.ts";
import { installKind } from "../intents/install-kind.ts";
import type { StoredCare } from "../intents/install-kind.ts";
import { SetpointError } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { KindInput } from "../kernel/kind.ts";
import { limits } from "../kernel/limits.ts";
import { openMemoryPlane } from "./memory-plane.ts";
import type { MemoryPlane } from "./memory-plane.ts";

const place = { apiVersion: "tests.dev/v1", kind: "Board", namespace: "default" };

function board(properties: JsonObject, required: readonly string[] = []): KindInput {
  return describeKind({
    apiVersion: "tests.dev/v1",
    kind: "Board",
    plural: "boards",
    spec: { type: "object", required: [...required], properties },
  });
}

const text = { type: "string" };
const titled = board({ title: text }, ["title"]);
const headed = board({ heading: text }, ["heading"]);

async function install(
  { plane }: MemoryPlane,
  kind: KindInput,
  care: StoredCare = {},
): Promise<string> {
  return await installKind(plane.intents, kind, { name: "boards", version: 1 }, care);
}

async function opened(...names: readonly string[]): Promise<MemoryPlane> {
  const memory = await openMemoryPlane();
  await install(memory, titled);
  const { apiVersion, kind, namespace } = place;
  for (const name of names) {
    const spec = { title: `about ${name}` };
    await memory.create({ apiVersion, kind, metadata: { name, namespace }, spec });
  }
  return memory;
}

async function refusal(memory: MemoryPlane, kind: KindInput, care?: StoredCare): Promise<string> {
  try {
    await install(memory, kind, care);
  } catch (error) {
    assert.ok(error instanceof SetpointError && error.code === "kind.incompatible", String(error));
    return error.message;
  }
  throw new Error("the schema was accepted");
}

async function specOf(memory: MemoryPlane, name: string): Promise<unknown> {
  return (await memory.read({ ...place, name }))?.spec;
}

describe("a changed kind", () => {
  it("is refused when stored resources do not fit it, with the fields", async () => {
    await using memory = await opened("a", "b");
    const message = await refusal(memory, headed);
    const problems = "(spec.title is not in the schema, spec.heading is required)";
    assert.equal(
      message,
      "the new schema of boards.tests.dev does not accept stored resources: " +
        `default/a ${problems}; default/b ${problems}`,
    );
    assert.deepEqual(await specOf(memory, "a"), { title: "about a" });
    await memory.patch({ ...place, name: "a" }, { spec: { title: "still accepted" } });
    const other = board({ title: { type: "integer" } });
    assert.match(await refusal(memory, other), /default\/a \(spec\.title has another type\)/);
    assert.doesNotMatch(await refusal(memory, other), /accepted|about/, "no value is shown");
  });

  it("names a bounded number of resources", async () => {
    const names = Array.from({ length: limits.maxNamedMisfits + 5 }, (_, at) => `b${at}`);
    await using memory = await opened(...names);
    const message = await refusal(memory, headed);
    assert.equal(message.split("default/").length - 1, limits.maxNamedMisfits);
    assert.match(message, /, and more$/);
  });

  it("is accepted when it only adds, or when no resource has what it removes", async () => {
    await using memory = await opened("a");
    assert.equal(await install(memory, board({ title: text, size: text }, ["title"])), "updated");
    assert.equal(await install(memory, titled), "updated");
    await memory.patch({ ...place, name: "a" }, { metadata: { labels: { a: "b" } } });
    assert.equal(await install(memory, titled), "unchanged");
  });

  it("is migrated in one commit with its definition", async () => {
    await using memory = await opened("a", "b");
    const seen: unknown[] = [];
    const migrate: StoredCare["migrate"] = (stored) => {
      seen.push(stored.spec);
      const { title, ...spec } = stored.spec as { title?: string };
      return title === undefined ? stored : { ...stored, spec: { ...spec, heading: title } };
    };
    const before = await memory.read({ ...place, name: "a" });
    const head = (await memory.store.head()).revision;
    assert.equal(await install(memory, headed, { migrate }), "updated");
    assert.equal((await memory.store.head()).revision, head + 3);
    const after = await memory.read({ ...place, name: "a" });
    assert.deepEqual(after?.spec, { heading: "about a" });
    assert.equal(after.metadata.generation, (before?.metadata.generation ?? 0) + 1);
    assert.equal(after.metadata.uid, before?.metadata.uid);
    assert.deepEqual(seen, [{ title: "about a" }, { title: "about b" }]);
    // A later change of the schema finds documents that have the new form.
    const wider = board({ heading: text, size: text }, ["heading"]);
    assert.equal(await install(memory, wider, { migrate }), "updated");
    assert.deepEqual(await specOf(memory, "a"), { heading: "about a" });
  });

  it("is refused when its migration fails or leaves what does not fit", async () => {
    await using memory = await opened("a");
    const fail = (): never => {
      throw new Error("about a");
    };
    const message = await refusal(memory, headed, { migrate: fail });
    assert.match(message, /default\/a \(migrate failed, or did not return an object\)$/);
    const half: StoredCare["migrate"] = (stored) => {
      return { ...stored, spec: { ...(stored.spec as object), heading: "h" } };
    };
    assert.match(
      await refusal(memory, headed, { migrate: half }),
      /default\/a \(spec\.title is not in the schema\)$/,
    );
    assert.deepEqual(await specOf(memory, "a"), { title: "about a" });
  });
});
