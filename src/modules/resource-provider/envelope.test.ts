import assert from "node:assert/strict";
import { it } from "node:test";
import type { JsonObject } from "../../kernel/json.ts";
import type { Metadata } from "../../kernel/resource.ts";
import { envelopeOf, envelopeText } from "./envelope.ts";
import { envelopeAnnotation } from "./face.ts";
import type { ArmEnvelope } from "./face.ts";

const subscription = "11111111-2222-3333-4444-555555555555";
const made = { createdBy: "ada", createdByType: "User", createdAt: "2026-11-16T10:00:00.000Z" };
const asMade = {
  ...made,
  lastModifiedBy: "ada",
  lastModifiedByType: "User",
  lastModifiedAt: "2026-11-16T10:00:00.000Z",
};

function envelope(parts: Partial<ArmEnvelope>): ArmEnvelope {
  return {
    id: `/subscriptions/${subscription}/resourceGroups/g/providers/A.B/c/d`,
    name: "d",
    location: "westeurope",
    tags: {},
    operation: { id: "o", verb: "create", startedAt: "2026-11-16T10:00:00Z" },
    ...parts,
  };
}

/** As one who finds it in the store, and has never seen its text. */
function read(text: string): ArmEnvelope | undefined {
  const annotations = { [envelopeAnnotation]: ` ${text}` };
  const metadata = { name: "d", namespace: `sub-${subscription}`, annotations };
  return envelopeOf({ metadata: metadata as unknown as Metadata });
}

const cases: readonly (readonly [string, Partial<ArmEnvelope>, JsonObject])[] = [
  ["what nobody has changed says once who made it", { systemData: asMade }, { systemData: made }],
  [
    "what was changed says both",
    { systemData: { ...asMade, lastModifiedBy: "bob" } },
    { systemData: { ...asMade, lastModifiedBy: "bob" } },
  ],
  ["tags are stored where there are any", { tags: { a: "b" } }, { tags: { a: "b" } }],
  ["what is not known is not made up", { systemData: {} }, { systemData: {} }],
];

for (const [what, parts, stored] of cases) {
  it(`${what}, and is read as it was written`, () => {
    const written = envelope(parts);
    const text = envelopeText(written);
    const { id, name, location, operation } = written;
    assert.deepEqual(JSON.parse(text), { id, name, location, ...stored, operation });
    assert.deepEqual(read(text), written);
  });
}
