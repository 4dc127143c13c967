// A module with faces, for the tests of deletions: chests, boxes inside of them and toys inside of
// those. How each is removed says its property `removal`, until it has the annotation tests.dev/go:
// held takes its time, late fails and is tried again, and stuck says that it cannot succeed. What
// was removed leaves a line in the file that the property `log` names. Shelves, and books inside of
// them, have nothing to be removed.
import { appendFileSync } from "node:fs";
import { again, defineModule, describeKind, done, failed } from "../../src/authoring/setpoint.ts";
import type { Context, JsonObject, Outcome, Resource } from "../../src/authoring/setpoint.ts";
import type { ModuleKind } from "../../src/authoring/setpoint.ts";

const spec = {
  type: "object",
  properties: {
    removal: { type: "string", enum: ["quick", "held", "late", "stuck"], default: "quick" },
    log: { type: "string" },
  },
} as const;

const provider = "Example.Attic";
const locations = ["West Europe"];
const versions = [{ apiVersion: "2026-01-01", schema: spec }];

/** What it needs for as long as something is inside of it. */
async function reconcile(resource: Resource, { children }: Context): Promise<Outcome> {
  const name = `${resource.metadata.name}-key`;
  await children.apply({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: {} });
  return done();
}

function remove({ metadata, kind, spec: given }: Resource): Promise<Outcome> {
  const { removal, log } = given as JsonObject;
  const isLetGo = metadata.annotations?.["tests.dev/go"] === "true";
  if (!isLetGo && removal === "held") return Promise.resolve(again(20, { message: "held" }));
  if (!isLetGo && removal === "late") return Promise.resolve(failed("Later", "not now"));
  if (!isLetGo && removal === "stuck") {
    return Promise.resolve(failed("Stuck", "the lid is stuck", { retry: "never" }));
  }
  if (typeof log === "string") appendFileSync(log, `${kind}\n`);
  return Promise.resolve(done());
}

function removable(kind: string, plural: string, type: string): ModuleKind {
  return {
    kind: describeKind({ apiVersion: "attic.tests.dev/v1", kind, plural, spec }),
    reconciler: { reconcile, remove },
    arm: { provider, type, locations, versions, awaitEndMs: 0 },
  };
}

function plain(kind: string, plural: string, type: string): ModuleKind {
  return {
    kind: describeKind({ apiVersion: "attic.tests.dev/v1", kind, plural, spec }),
    reconciler: { reconcile: () => Promise.resolve(done()) },
    arm: { provider, type, locations, versions, awaitEndMs: 0 },
  };
}

export default defineModule({
  name: "attic",
  kinds: [
    removable("Chest", "chests", "chests"),
    removable("Box", "boxes", "chests/boxes"),
    removable("Toy", "toys", "chests/boxes/toys"),
    plain("Shelf", "shelves", "shelves"),
    plain("Book", "books", "shelves/books"),
  ],
});
