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
  follow: () => undefined,
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
    ...(annotations === undefined ? {} : { annotations }),
    ...(labels === undefined ? {} : { labels }),
  };
  return { apiVersion: "v1", kind: "ConfigMap", metadata } as unknown as Resource;
}

const known = resource({ [envelopeAnnotation]: envelope }, { [groupLabel]: "abc" });

function update(object: Resource, old: Resource, through?: string): AdmissionRequest {
  const found = kinds.find("", "v1", "configmaps");
  assert.ok(found !== undefined);
  const user = { name: "ann", groups: [], extra: {} };
  return {
    caller: { user, warn: () => undefined, ...(through === undefined ? {} : { through }) },
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
    const why = "Forbidden: is written by the Resource Manager surface alone: leave it out, and";
    assert.ok(error.message.includes(`metadata.annotations[${envelopeAnnotation}]: ${why}`));
    assert.ok(error.message.includes(`metadata.labels[${groupLabel}]: ${why}`));
    return true;
  });
});

test("the surface itself writes them, and what nobody made through it is left alone", async () => {
  const moved = resource({ [envelopeAnnotation]: envelope.replace("/s/", "/t/") }, {});
  assert.equal(await written(update(moved, known, armSurfaceName)), moved);
  const plain = resource({ [envelopeAnnotation]: "rubbish" });
  assert.equal(await written(update(plain, resource())), plain);
  const repaired = resource({ [envelopeAnnotation]: envelope });
  assert.equal(await written(update(repaired, plain)), repaired);
});
