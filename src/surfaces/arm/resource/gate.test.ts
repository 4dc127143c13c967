// What a resource lets pass after a failure.
import assert from "node:assert/strict";
import { it } from "node:test";
import type { Resource } from "../../../kernel/resource.ts";
import { envelopeText } from "../../../modules/resource-provider/envelope.ts";
import { envelopeAnnotation } from "../../../modules/resource-provider/face.ts";
import { checkGate } from "./gate.ts";

const startedAt = "2026-01-01T00:00:00Z";
const face = { kind: "a.b", provider: "A.B", type: "c", locations: [], versions: [] };
const place = { subscription: "s", group: "g", provider: "A.B", types: ["c"], names: ["n"] };

function created(endedAt?: string): Resource {
  const ended = endedAt === undefined ? {} : { endedAt };
  const operation = { id: "op", verb: "create", startedAt, ...ended } as const;
  const text = envelopeText({
    id: "/subscriptions/s/n",
    name: "n",
    location: "",
    tags: {},
    operation,
  });
  return {
    apiVersion: "b/v1",
    kind: "A",
    metadata: {
      name: "n",
      namespace: "sub-s",
      uid: "u",
      generation: 1,
      creationTimestamp: startedAt,
      annotations: { [envelopeAnnotation]: text },
    },
  };
}

it("a creation that failed lets only a deletion pass", () => {
  assert.throws(
    () => checkGate(face, place, created(), "Failed"),
    /the resource can only be deleted/,
  );
});

it("what fails after the creation has ended is no creation, whatever the status tells", () => {
  checkGate(face, place, created(startedAt), "Failed");
});
