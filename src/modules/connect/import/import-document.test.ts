// The import as the command runs it: from files and from a server, into a folder and onto a server,
// again.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { SetpointError } from "../../../kernel/errors.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { objectsAt, textAt } from "../../../kernel/json-read.ts";
import { withoutKey } from "../../../kernel/without-key.ts";
import { sampleDns } from "../../../../tests/connect-documents/sample-dns.ts";
import { importDocument as importWith } from "./import-document.ts";
import type { ImportClient, Imported, ImportInput, ImportTarget } from "./import-document.ts";

/** Documents on this machine need no network. */
async function importDocument(input: Omit<ImportInput, "openHttp">): Promise<Imported> {
  const openHttp = (): never => assert.fail("no server is called");
  return await importWith({ ...input, openHttp });
}

function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "setpoint-import-"));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

async function imported(
  folder: string,
  document: Json,
  target: ImportTarget = { kind: "folder", folder: join(folder, "out") },
): Promise<Imported> {
  const path = join(folder, "openapi.json");
  writeFileSync(path, JSON.stringify(document));
  return await importDocument({
    document: path,
    baseUrl: "http://127.0.0.1:8081",
    allowed: [],
    only: ["domains"],
    target,
  });
}

const domains = "domains.namekeeper.services.local";

test("several documents, or a folder of them, describe one service", async (t) => {
  const folder = folderFor(t);
  const id = { in: "query", name: "api-version", required: true, type: "string" };
  const thing = (name: string, version: string): JsonObject => {
    const schema = { $ref: "shared.json#/definitions/Thing" };
    const answer = { parameters: [id], responses: { "200": { schema } } };
    const put = { ...answer, parameters: [id, { in: "body", name: "body", schema }] };
    return {
      swagger: "2.0",
      info: { title: "Bakery", version },
      paths: { [`/${name}s/{name}`]: { get: answer, put }, "/common/{name}": { get: answer, put } },
    };
  };
  const properties = { name: { type: "string" }, size: { type: "integer" } };
  const files = {
    "ovens.json": thing("oven", "1"),
    "trays.json": thing("tray", "2"),
    "shared.json": { definitions: { Thing: { type: "object", properties } } },
  };
  for (const [name, file] of Object.entries(files)) {
    writeFileSync(join(folder, name), JSON.stringify(file));
  }
  const base = { baseUrl: "http://127.0.0.1:8081", allowed: [], target: { kind: "none" } } as const;
  const versionsOf = ({ kinds }: Imported): readonly string[] =>
    kinds.map(({ kind: { name, binding } }) => {
      return `${name.kind} ${binding.operations.read?.query?.["api-version"]}`;
    });
  const whole = await importDocument({ ...base, document: folder });
  assert.deepEqual(versionsOf(whole).toSorted(), ["Common 1", "Oven 1", "Tray 2"]);
  const doubled = whole.problems.find(({ message }) => message.includes("/common/{name}"));
  assert.match(doubled?.file ?? "", /trays.json$/);
  const [first, second] = ["ovens.json", "trays.json"].map((name) => join(folder, name));
  const two = await importDocument({ ...base, document: first ?? "", more: [second ?? ""] });
  assert.deepEqual(versionsOf(two), versionsOf(whole));
  const other = { ...thing("pan", "3"), basePath: "/elsewhere" };
  writeFileSync(join(folder, "pans.json"), JSON.stringify(other));
  await assert.rejects(importDocument({ ...base, document: folder }), /different base paths/);
});

test("more documents than are read at once are refused, and none is left out", async (t) => {
  const folder = folderFor(t);
  for (let at = 0; at < 201; at++) writeFileSync(join(folder, `${at}.json`), "{}");
  const given = {
    baseUrl: "http://127.0.0.1:8081",
    allowed: [],
    target: { kind: "none" },
  } as const;
  await assert.rejects(importDocument({ ...given, document: folder }), /found 201 documents/);
});

test("a folder gets the connection, each kind, and a report with every reason", async (t) => {
  const folder = folderFor(t);
  await imported(folder, sampleDns);
  const out = join(folder, "out");
  assert.deepEqual(readdirSync(out).toSorted(), [
    "connection.yaml",
    `${domains}.yaml`,
    "report.md",
    "sets.namekeeper.services.local.yaml",
  ]);
  const report = readFileSync(join(out, "report.md"), "utf8");
  assert.match(report, /^\| `\/id` \| read-only \| name \| 0\.\d\d \| by its description \|$/m);
  assert.match(
    report,
    /^\| `\/name` \| create-only \| difference \| 0\.75 \| not in the list of changeable fields/m,
  );
  assert.match(report, /^\| `\/owner` \| writable \|  \|  \|  \|$/m);
});

test("importing again lists what changed and keeps what a person changed", async (t) => {
  const folder = folderFor(t);
  await imported(folder, sampleDns);
  const path = join(folder, "out", `${domains}.yaml`);
  const mine = readFileSync(path, "utf8")
    .replace(
      /class: read-only\n(\s+confidence: [\d.]+\n\s+from: name\n\s+path: \/serial)/,
      "class: writable\n$1",
    )
    .replace("  connection: namekeeper\n", "  connection: mine\n  ready: observed.serial > 0\n");
  assert.match(mine, /class: writable\n.*\n.*\n\s+path: \/serial/);
  writeFileSync(path, mine);
  writeFileSync(join(folder, "out", "connection.yaml"), "kind: Connection\n");
  const others = withoutKey(sampleDns.definitions.Domain.properties, "owner");
  const newer = { ...others, url: { type: "string", readOnly: true }, color: { type: "string" } };
  const document = {
    ...sampleDns,
    definitions: { ...sampleDns.definitions, Domain: { properties: newer } },
  };
  const { kinds } = await imported(folder, document);
  const kind = kinds.find(({ kind: one }) => one.id === domains);
  assert.deepEqual(kind?.changes?.added, ["/color"]);
  assert.deepEqual(kind.changes.removed, ["/owner"]);
  const spec = kind.restKind["spec"] as JsonObject;
  assert.equal(spec["connection"], "mine");
  assert.equal(spec["ready"], "observed.serial > 0");
  const fields = objectsAt(spec, "fields");
  const at = (pointer: string): JsonObject | undefined =>
    fields.find((field) => textAt(field, "path") === pointer);
  assert.equal(at("/serial")?.["class"], "writable");
  assert.equal(at("/serial")?.["from"], "override");
  assert.equal(at("/serial")?.["why"], "changed in the RestKind");
  assert.equal(at("/url")?.["from"], "annotation");
  assert.equal(readFileSync(join(folder, "out", "connection.yaml"), "utf8"), "kind: Connection\n");
  assert.match(readFileSync(path, "utf8"), /serial:\n\s+type: integer/);
  const again = await imported(folder, document);
  assert.deepEqual(
    again.kinds.map(({ changes }) => changes),
    [undefined, undefined],
  );
  const kept = again.kinds.find(({ kind: one }) => one.id === domains)?.restKind[
    "spec"
  ] as JsonObject;
  assert.equal(kept["connection"], "mine");
});

test("what is asked for in vain, or cannot be an address, is told at once", async (t) => {
  const folder = folderFor(t);
  const path = join(folder, "openapi.json");
  writeFileSync(path, JSON.stringify(sampleDns));
  const given = { document: path, allowed: [], target: { kind: "none" } as const };
  const told = async (more: { baseUrl: string; only?: readonly string[] }): Promise<string> => {
    const error = await importDocument({ ...given, ...more }).catch((one: unknown) => one);
    assert(error instanceof SetpointError);
    return `${error.message} ${error.suggestion ?? ""}`;
  };
  const baseUrl = "http://127.0.0.1:8081";
  assert.match(await told({ baseUrl, only: ["domains", "Nope"] }), /no kind Nope it has .*Domain/);
  assert.match(await told({ baseUrl: "nonsense" }), /--base-url: baseUrl is not a valid URL/);
  const secret = await told({ baseUrl: "http://me:hunter22@host" });
  assert.match(secret, /must not contain a password/);
  assert.doesNotMatch(secret, /hunter22/);
});

test("a Connection that leads elsewhere is kept, and told of", async (t) => {
  const folder = folderFor(t);
  await imported(folder, sampleDns);
  const place = join(folder, "out", "connection.yaml");
  const old = readFileSync(place, "utf8").replace("127.0.0.1:8081", "127.0.0.1:9999");
  writeFileSync(place, old);
  const { problems } = await imported(folder, sampleDns);
  assert.equal(readFileSync(place, "utf8"), old);
  const problem = problems.find(({ file }) => file === place);
  assert.match(
    problem?.message ?? "",
    /^already has the base URL http:\/\/127\.0\.0\.1:9999\S*, which is not changed/,
  );
});

test("names and columns that a person gave a definition are told when they go", async (t) => {
  const folder = folderFor(t);
  const { problems: none } = await imported(folder, sampleDns);
  const place = join(folder, "out", `${domains}.yaml`);
  const made = readFileSync(place, "utf8");
  const edited = made
    .replace("kind: Domain\n", "kind: Zone\n")
    .replace("name: Sync-Reason", "name: Why");
  assert.notEqual(edited, made);
  writeFileSync(place, edited);
  const { problems, report } = await imported(folder, sampleDns);
  const told = problems.filter(({ file }) => file === place).map(({ message }) => message);
  const anew = "the import wrote the definition again, so repeat the change";
  assert.deepEqual(told, [
    `was "Zone" and is "Domain" now: ${anew}`,
    `the column Why was removed: ${anew}`,
  ]);
  assert.ok(report.includes(`#/spec/names/kind: was "Zone" and is "Domain" now`), report);
  const { problems: after } = await imported(folder, sampleDns);
  assert.deepEqual(after, none);
});

test("a server gets definitions before what binds them, and keeps its Connection", async (t) => {
  const stored = new Map<string, Json>();
  const sent: string[] = [];
  const client: ImportClient = {
    get: (path) => {
      const found = stored.get(path);
      if (found === undefined) throw new SetpointError("resource.not_found", "none");
      return Promise.resolve(found);
    },
    patch: (path, body, mediaType) => {
      const [bare = ""] = path.split("?");
      assert.equal(mediaType, "application/apply-patch+yaml");
      stored.set(bare, body);
      sent.push(bare.slice(bare.lastIndexOf("/v1/") + 4));
      return Promise.resolve(body);
    },
  };
  const folder = folderFor(t);
  const target = { kind: "server", client } as const;
  await imported(folder, sampleDns, target);
  assert.deepEqual(sent.slice(0, 3), [
    "connections/namekeeper",
    `customresourcedefinitions/${domains}`,
    `restkinds/${domains}`,
  ]);
  sent.length = 0;
  const again = await imported(folder, sampleDns, target);
  assert.ok(!sent.includes("connections/namekeeper"));
  assert.deepEqual(
    again.kinds.map(({ changes }) => changes),
    [undefined, undefined],
  );
});
