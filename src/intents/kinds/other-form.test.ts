import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../../kernel/json.ts";
import type { Resource } from "../../kernel/resource.ts";
import { updatedInForm } from "./other-form.ts";
import type { ServedForm } from "./other-form.ts";

/** A kind whose type accepts every field. */
const form = {
  own: {
    storage: {
      apiVersion: "own.example/v1",
      type: {
        withDefaults: (resource: Resource) => resource,
        prune: (resource: Resource) => ({ resource }),
      },
    },
  },
} as unknown as ServedForm;

function document(spec: string): Resource {
  const metadata = { name: "a", uid: "u", generation: 1, creationTimestamp: "" };
  return { apiVersion: "form.example/v1", kind: "A", metadata, spec: JSON.parse(spec) as Json };
}

/** The spec, as text, after a client of the form replaced `shown` with `sent`. */
function updated(sent: string, stored: string, shown: string): string {
  const next = updatedInForm(form, document(sent), document(stored), document(shown));
  return JSON.stringify(next.spec);
}

test("an update keeps the fields that the form does not show", () => {
  assert.equal(updated('{"a":2}', '{"a":1,"own":1}', '{"a":1}'), '{"a":2,"own":1}');
  assert.equal(updated("{}", '{"a":1,"own":1}', '{"a":1}'), '{"own":1}');
});

test("fields with the names of members of every object are fields like others", () => {
  for (const name of ["constructor", "toString", "__proto__"]) {
    const field = `{"${name}":{"b":1}}`;
    assert.equal(updated("{}", field, "{}"), field, "it is hidden");
    assert.equal(updated("{}", field, field), "{}", "it was removed");
    assert.equal(updated(`{"${name}":2}`, field, field), `{"${name}":2}`, "it was changed");
  }
});
