import assert from "node:assert/strict";
import { test } from "node:test";
import type { LiveListener, LiveRecord } from "../../../intents/live-view.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { offeringKey } from "../names.ts";
import { sampleOffering } from "../sample-offering.ts";
import { followOfferings } from "./offering-index.ts";

function record(resource: Resource, revision: number): LiveRecord {
  return { key: offeringKey(resource.metadata.name), revision, resource };
}

function live(): { readonly follow: Follow; readonly change: LiveListener } {
  let listener: LiveListener = () => undefined;
  return {
    follow: (_kind, given) => {
      listener = given;
      return () => {
        listener = () => undefined;
      };
    },
    change: (after, before) => listener(after, before),
  };
}

type Follow = (kind: string, listener: LiveListener) => () => void;

function withGeneration(generation: number, spec = {}): Resource {
  const sample = sampleOffering(spec);
  return { ...sample, metadata: { ...sample.metadata, generation } };
}

test("an Offering is found by its name, its plural and the kind of its instances", () => {
  const view = live();
  const index = followOfferings(view);
  const first = record(sampleOffering(), 1);
  view.change(first, undefined);
  for (const found of [
    index.byName("dinosaurs"),
    index.byPlural("dinosaurs"),
    index.byKind("dinosaurs.dinosaurs.example.dev"),
  ]) {
    assert.equal(found?.uid, "offering-1");
  }
  view.change(undefined, first);
  assert.deepEqual(index.all(), []);
  assert.equal(index.byPlural("dinosaurs"), undefined);
});

test("listeners are called after a change of the spec and not of the status", () => {
  const view = live();
  const index = followOfferings(view);
  const seen: (string | undefined)[] = [];
  index.follow((name, offering) => seen.push(offering === undefined ? undefined : name));
  const first = record(withGeneration(1), 1);
  const status = record({ ...withGeneration(1), status: { endpoints: {} } }, 2);
  const second = record(withGeneration(2, { displayName: "Dinosaurs" }), 3);
  view.change(first, undefined);
  view.change(status, first);
  assert.deepEqual(seen, ["dinosaurs"]);
  view.change(second, status);
  assert.deepEqual(seen, ["dinosaurs", "dinosaurs"]);
  assert.equal(index.byName("dinosaurs")?.displayName, "Dinosaurs");
  view.change(undefined, second);
  assert.deepEqual(seen, ["dinosaurs", "dinosaurs", undefined]);
});
