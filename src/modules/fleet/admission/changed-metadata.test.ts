import assert from "node:assert/strict";
import { test } from "node:test";
import { isSetpointError } from "../../../kernel/errors.ts";
import type { Metadata, Resource } from "../../../kernel/resource.ts";
import { forceDeleteAnnotation } from "../names.ts";
import type { Organisation } from "../organisations/organisation.ts";
import { checkMetadata } from "./changed-metadata.ts";
import type { Writer } from "./writer.ts";

const organisation = { id: "acme" } as Organisation;

function writer(user: string, isAdministrator = false): Writer {
  return { user, organisation: "acme", isOrganisationAdmin: false, isAdministrator } as Writer;
}

function instance(metadata: Partial<Metadata> = {}): Resource {
  const common = {
    name: "rex",
    uid: "u",
    generation: 1,
    creationTimestamp: "2026-01-01T00:00:00Z",
  };
  return {
    apiVersion: "dinosaurs.example.dev/v1",
    kind: "Dinosaur",
    metadata: { ...common, ...metadata },
    spec: { owner: "alice" },
  };
}

const owner = { apiVersion: "v1", kind: "ConfigMap", name: "none", uid: "made-up" };
const control: readonly Partial<Metadata>[] = [
  { ownerReferences: [owner] },
  { finalizers: ["other.example/hold"] },
  { annotations: { [forceDeleteAnnotation]: "now" } },
  { annotations: { "setpoint.dev/paused": "true" } },
  { annotations: { "setpoint.dev/policy": "detach-on-delete" } },
  { annotations: { "setpoint.dev/deletion-protection": "true" } },
  { labels: { "fleet.setpoint.dev/cluster": "east-1" } },
];

test("only administrators set metadata that acts on the life cycle", () => {
  for (const metadata of control) {
    const change = { object: instance(metadata), old: instance() };
    const isField = (error: unknown): boolean => isSetpointError(error, "fleet.field");
    assert.throws(() => checkMetadata(change, writer("alice"), organisation), isField);
    const creation = { object: instance(metadata), old: undefined };
    assert.throws(() => checkMetadata(creation, writer("alice"), organisation), isField);
    checkMetadata(change, writer("root", true), organisation);
  }
});

test("a refused annotation or label is named in the error", () => {
  const check = (metadata: Partial<Metadata>, old: Partial<Metadata>): void =>
    checkMetadata(
      { object: instance(metadata), old: instance(old) },
      writer("alice"),
      organisation,
    );
  const paused = { annotations: { "setpoint.dev/paused": "true", note: "x" } };
  assert.throws(
    () => check(paused, {}),
    /^SetpointError: metadata\.annotations\[setpoint\.dev\/paused\]: /,
  );
  assert.throws(
    () => check({}, { labels: { "fleet.setpoint.dev/probe": "p" } }),
    /labels\[fleet\./,
  );
});

test("other labels and annotations are for those who may change the instance", () => {
  const change = { object: instance({ labels: { team: "a" } }), old: instance() };
  checkMetadata(change, writer("alice"), organisation);
  const request = { annotations: { "setpoint.dev/reconcile": "1", "not-setpoint.dev/paused": "" } };
  checkMetadata({ object: instance(request), old: instance() }, writer("alice"), organisation);
  assert.throws(
    () => checkMetadata(change, writer("bob"), organisation),
    (error) => isSetpointError(error, "fleet.not_owner"),
  );
});
