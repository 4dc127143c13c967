// Secrets that a document does not mark: found by their names, kept as a user decides, and reported
// when an import changes them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldRulesOf } from "../../../intents/kinds/definition-field-rules.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { objectAt, objectsAt, textAt } from "../../../kernel/json-read.ts";
import { withoutKey } from "../../../kernel/without-key.ts";
import type { FieldEntry } from "../binding.ts";
import { madeUp } from "../document/made-up.ts";
import { fieldChanges, secrecyText } from "./changes.ts";
import type { WrittenKind } from "./changes.ts";
import { propose } from "./propose.ts";
import type { Proposal, ProposedKind } from "./propose.ts";
import { overridesIn, restKindOf } from "./reimport.ts";
import { reportOf } from "./report.ts";

const text = { type: "string" };

function documentWith(properties: JsonObject, parameter = "id"): JsonObject {
  const schema = { type: "object", properties };
  const answer = { responses: { "200": { schema } } };
  const write = { parameters: [{ in: "body", name: "body", schema }], ...answer };
  return {
    swagger: "2.0",
    paths: {
      "/accounts": { post: write },
      [`/accounts/{${parameter}}`]: { get: answer, put: write, delete: answer },
    },
  };
}

const account = {
  id: { ...text, readOnly: true },
  name: text,
  password: text,
  token_type: text,
  mail: { type: "object", properties: { smtpPassword: text, host: text } },
  hooks: { type: "array", items: { type: "object", properties: { url: text, secret: text } } },
  session_token: { ...text, readOnly: true },
};

async function proposed(
  document: Json,
  overrides?: ReadonlyMap<string, readonly FieldEntry[]>,
): Promise<Proposal> {
  const options = { baseUrl: "http://127.0.0.1:1", group: "mail.example.com" };
  const given = overrides === undefined ? options : { ...options, overrides };
  return propose(await madeUp({ root: document }), given);
}

function onlyKind({ kinds }: Proposal): ProposedKind {
  const [kind] = kinds;
  assert.ok(kind);
  return kind;
}

function secretsOf({ binding }: ProposedKind): readonly string[] {
  return binding.fields.flatMap(({ path, isSecret }) => (isSecret === true ? [path] : []));
}

function written(kind: ProposedKind, previous?: JsonObject): WrittenKind {
  return { definition: kind.definition, restKind: restKindOf(kind.id, kind.binding, previous) };
}

test("fields that are called like secrets are sealed, hidden and reported as such", async () => {
  const proposal = await proposed(documentWith(account));
  const kind = onlyKind(proposal);
  assert.deepEqual(secretsOf(kind), [
    "/password",
    "/mail/smtpPassword",
    "/hooks/*/secret",
    "/session_token",
  ]);
  const entry = kind.binding.fields.find(({ path }) => path === "/password");
  assert.deepEqual([entry?.from, entry?.secretFrom], ["name", "name"]);
  const [version] = objectsAt(kind.definition, "spec", "versions");
  const rules = fieldRulesOf(objectAt(version, "schema", "openAPIV3Schema"));
  assert.deepEqual(
    rules.filter(({ rule }) => rule === "secret").map(({ path }) => path),
    ["/spec/password", "/spec/mail/smtpPassword"],
  );
  assert.ok(
    kind.notes.some((note) => note.startsWith("/hooks/*/secret is a secret inside a list")),
  );
  const report = reportOf({ ...proposal, source: "a test" });
  assert.match(report, /^\| `\/password` \| writable, secret by its name \|/m);
});

test("a field in the URL of the object is readable, and the report says so", async () => {
  const properties = { token: { ...text, readOnly: true }, secret: text, name: text };
  const kind = onlyKind(await proposed(documentWith(properties, "token")));
  assert.deepEqual(secretsOf(kind), ["/secret"]);
  const note = "/token identifies the object and is readable, although it is called like a secret";
  assert.ok(kind.notes.includes(note), kind.notes.join("\n"));
});

test("a user who says that a field is not secret is heard, at every later import", async () => {
  const first = written(onlyKind(await proposed(documentWith(account))));
  const fields = objectsAt(first.restKind, "spec", "fields");
  for (const change of [{ isSecret: false }, undefined]) {
    const edited = fields.map((entry) =>
      textAt(entry, "path") === "/password"
        ? Object.assign(withoutKey(entry, "isSecret"), change)
        : entry,
    );
    const spec = { ...objectAt(first.restKind, "spec"), fields: edited };
    let previous: JsonObject = { ...first.restKind, spec };
    for (let round = 0; round < 2; round += 1) {
      const overrides = new Map([["accounts.mail.example.com", overridesIn(previous)]]);
      const kind = onlyKind(await proposed(documentWith(account), overrides));
      assert.ok(!secretsOf(kind).includes("/password"), `round ${round}`);
      const entry = kind.binding.fields.find(({ path }) => path === "/password");
      assert.deepEqual([entry?.from, entry?.secretFrom], ["override", "override"]);
      previous = written(kind, previous).restKind;
    }
  }
});

test("an import reports each field that was plain and is secret now", async () => {
  const now = written(onlyKind(await proposed(documentWith(account))));
  const fields = objectsAt(now.restKind, "spec", "fields").map((entry) =>
    withoutKey(withoutKey(entry, "isSecret"), "secretFrom"),
  );
  const spec = { ...objectAt(now.restKind, "spec"), fields };
  const before: WrittenKind = { ...now, restKind: { ...now.restKind, spec } };
  assert.deepEqual(fieldChanges(before, now).secrecy.map(secrecyText), [
    "/password was plain, is secret now",
    "/mail/smtpPassword was plain, is secret now",
    "/hooks/*/secret was plain, is secret now",
    "/session_token was plain, is secret now",
  ]);
  assert.deepEqual(
    fieldChanges(now, before).secrecy.map(secrecyText)[0],
    "/password was secret, is plain now",
  );
});
