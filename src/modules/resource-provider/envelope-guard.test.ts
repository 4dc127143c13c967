import assert from "node:assert/strict";
import { test } from "node:test";
import type { AdmissionRequest } from "../../intents/admission/admission.ts";
import { admissionChain } from "../../intents/admission/admission.ts";
import { builtinServedKinds } from "../../intents/kinds/builtin-served.ts";
import { kindRegistry } from "../../intents/kinds/registry.ts";
import type { LiveView } from "../../intents/live-view.ts";
import { isSetpointError } from "../../kernel/errors.ts";
import type { Resource } from "../../kernel/resource.ts";
import { armSurfaceName, envelopeGuard } from "./envelope-guard.ts";
import { envelopeAnnotation, groupLabel } from "./face.ts";

const empty: LiveView = {
  get: () => undefined,
  all: () => [],
  follow: () => () => undefined,
  reached: () => Promise.resolve(),
  has: () => false,
};
const kinds = kindRegistry(builtinServedKinds({ live: () => empty, clock: { nowMs: () => 0 } }));
const chain = admissionChain([envelopeGuard]);
const envelope = '{"id":"/subscriptions/s/x","name":"x"}';

type Texts = Readonly<Record<string, string>>;

function resource(annotations?: Texts, labels?: Texts): Resource {
  const metadata = {
    name: "a",
    namespace: "sub-s",
    ...(annotations === undefined ? {} : { annotations }),
    ...(labels === undefined ? {} : { labels }),
  };
  return { apiVersion: "v1", kind: "ConfigMap", metadata } as unknown as Resource;
}

const known = resource({ [envelopeAnnotation]: envelope }, { [groupLabel]: "abc" });

function update(object: Resource, old: Resource, through?: string): AdmissionRequest {
  const found = kinds.find("", "v1", "configmaps");
  assert.ok(found !== undefined);
  const user = { name: "viewer", groups: [], extra: {} };
  return {
    caller: {
      user,
      surface: "arm",
      warn: () => undefined,
      ...(through === undefined ? {} : { through }),
    },
    operation: "UPDATE",
    target: { ...found, namespace: "default", name: "a", subresource: "" },
    object,
    old,
    isDryRun: false,
    options: {},
  };
}

async function written(request: AdmissionRequest): Promise<Resource> {
  const object = await chain.mutate(request);
  await chain.validate({ ...request, object });
  return object;
}

test("a write by other means that leaves the envelope and the group out keeps them", async () => {
  for (const sent of [resource(), resource({}, {})]) {
    const { metadata } = await written(update(sent, known));
    assert.deepEqual(metadata.annotations, known.metadata.annotations);
    assert.deepEqual(metadata.labels, known.metadata.labels);
  }
  const other = await written(update(resource({ mine: "1" }, { mine: "2" }), known));
  assert.deepEqual(other.metadata.annotations, { mine: "1", [envelopeAnnotation]: envelope });
  assert.deepEqual(other.metadata.labels, { mine: "2", [groupLabel]: "abc" });
});

test("a write by other means that changes them is refused, with both named", async () => {
  const sent = resource({ [envelopeAnnotation]: "rubbish" }, { [groupLabel]: "other" });
  await assert.rejects(written(update(sent, known)), (error) => {
    assert.ok(isSetpointError(error, "resource.invalid"));
    assert.equal(error.status, 422);
    const why = "Forbidden: is written only by the Resource Manager surface: leave it out";
    assert.ok(error.message.includes(`metadata.annotations[${envelopeAnnotation}]: ${why}`));
    assert.ok(error.message.includes(`metadata.labels[${groupLabel}]: ${why}`));
    return true;
  });
});

test("the surface itself writes them, and what nobody made through it is left alone", async () => {
  const moved = resource({ [envelopeAnnotation]: envelope.replace("/s/", "/t/") }, {});
  assert.equal(await written(update(moved, known, armSurfaceName)), moved);
  const plain = resource({ mine: "1" }, { mine: "2" });
  assert.equal(await written(update(plain, resource())), plain);
  const damaged = resource({ [envelopeAnnotation]: "rubbish" });
  const repaired = resource({ [envelopeAnnotation]: envelope });
  assert.equal(await written(update(repaired, damaged)), repaired);
});

test("what is made or marked by other means gets neither, and its sender is warned", async () => {
  const warnings: string[] = [];
  const sent = resource(
    { mine: "1", [envelopeAnnotation]: envelope },
    { mine: "2", [groupLabel]: "abc" },
  );
  const changed = update(sent, resource());
  const caller = { ...changed.caller, warn: (text: string) => void warnings.push(text) };
  const requests = [
    { ...changed, caller },
    { ...changed, caller, operation: "CREATE", old: undefined },
  ] as const;
  for (const request of requests) {
    const { metadata } = await written(request);
    assert.deepEqual(metadata.annotations, { mine: "1" });
    assert.deepEqual(metadata.labels, { mine: "2" });
    assert.deepEqual(
      warnings.splice(0),
      [`metadata.annotations[${envelopeAnnotation}]`, `metadata.labels[${groupLabel}]`].map(
        (field) => `${field} was ignored: only the Resource Manager surface writes it`,
      ),
    );
  }
  const own = { ...changed, caller: { ...caller, through: armSurfaceName }, operation: "CREATE" };
  assert.equal(await written({ ...own, old: undefined } as AdmissionRequest), sent);
  assert.deepEqual(warnings, []);
});

const endedAt = "2026-01-01T00:01:00Z";

/** One whose operation has succeeded, and is shown by its status. */
function ready(text: string): Resource {
  const kept = resource({ [envelopeAnnotation]: text }, { [groupLabel]: "abc" });
  const status = {
    observedGeneration: 1,
    reconcile: { succeeded: { generation: 1, at: endedAt } },
  };
  const metadata = { ...kept.metadata, generation: 1 };
  return { ...kept, metadata, data: { size: "1" }, status };
}

const open =
  '{"id":"/subscriptions/s/x","name":"x","operation":{"id":"op","verb":"create","isAsync":true}}';
const closed = open.replace("true}", `true,"endedAt":"${endedAt}"}`);

test("a change that hides the success of the last operation writes it down", async () => {
  const old = ready(open);
  const changed = { ...old, data: { size: "2" } } as unknown as Resource;
  const textIn = async (object: Resource, from: Resource): Promise<unknown> =>
    (await written(update(object, from))).metadata.annotations?.[envelopeAnnotation];
  assert.equal(await textIn(changed, old), closed);
  const bare = {
    ...changed,
    metadata: { name: "a", namespace: "sub-s", generation: 1 },
  } as unknown as Resource;
  assert.equal(await textIn(bare, old), closed);
  assert.equal(await textIn(old, old), open, "what changes nothing writes nothing");
  const labelled = {
    ...old,
    metadata: { ...old.metadata, labels: { [groupLabel]: "abc", a: "b" } },
  };
  assert.equal(await textIn(labelled, old), open);
});

test("who read the envelope before that was written down may send it back", async () => {
  const old = ready(closed);
  const sent = { ...ready(open), data: { size: "3" } } as unknown as Resource;
  const { metadata } = await written(update(sent, old));
  assert.equal(metadata.annotations?.[envelopeAnnotation], closed);
  const forged = ready(closed.replace(":01:", ":02:"));
  await assert.rejects(written(update(forged, old)), /is written only by the Resource Manager/);
  await assert.rejects(
    written(update(forged, ready(open))),
    /is written only by the Resource Manager/,
  );
});
