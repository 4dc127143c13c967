// A field of a managed kind becomes secret on a real server, as an import does it: first the
// definition, then the RestKind. The values that were stored in plain text cannot be read any more,
// neither in the status nor in the history, and the service receives no request because of it.
import assert from "node:assert/strict";
import { it } from "node:test";
import type { Json, JsonObject } from "../../src/kernel/json.ts";
import { textAt } from "../../src/kernel/json-read.ts";
import { startQuirkyService } from "../peers/quirky-service.ts";
import { startSetpoint } from "../peers/setpoint.ts";
import { apiVersion, definition } from "./powerdns-kinds.ts";
import { quirkyBinding, readOnlyId, text, unlistedOperations } from "./quirky-kinds.ts";
import { applyDocument, Resources } from "./rig.ts";
import { thingsConnection } from "./things-kinds.ts";

const word = "word-before-the-rule";

function kindOf(password: JsonObject): JsonObject {
  return definition("Vault", { type: "object", properties: { name: text, password } });
}

function bindingWith(...fields: readonly JsonObject[]): JsonObject {
  const more = { operations: unlistedOperations, fields: [readOnlyId, ...fields] };
  return quirkyBinding("vaults", more);
}

it("erases the plain values of a field that becomes secret, and writes nothing", async () => {
  const id = (object: JsonObject): string => textAt(object, "name");
  await using service = await startQuirkyService({ vaults: { id } });
  await using server = await startSetpoint();
  const vaults = new Resources(() => server, { apiVersion, kind: "Vault" });
  await applyDocument(server, thingsConnection("quirky", { baseUrl: service.url }));
  await applyDocument(server, kindOf(text));
  await applyDocument(server, bindingWith());
  await vaults.create("a", { name: "a", password: word });
  const revision = textAt(
    (await vaults.ready("a")) as unknown as Json,
    "metadata",
    "resourceVersion",
  );
  const exact = `${vaults.path()}?resourceVersion=${revision}&resourceVersionMatch=Exact`;
  const before = await server.ask(exact);
  assert.ok(before.body.toString().includes(word));

  await applyDocument(server, kindOf({ ...text, "x-setpoint-field-rule": "secret" }));
  const secret = { path: "/password", class: "writable", isSecret: true, from: "override" };
  await applyDocument(server, bindingWith(secret));
  await vaults.until("a", "sealed", ({ status }) => {
    const applied = textAt(status?.connect?.lastApplied, "password");
    const book = status?.connect as JsonObject | undefined;
    return applied.startsWith("hmac-sha256:") && book?.["sealing"] === undefined;
  });
  const now = await vaults.ready("a");
  assert.ok(!JSON.stringify(now).includes(word), JSON.stringify(now));
  assert.equal((await server.ask(exact)).status, 410);
  const writes = service.log.filter((line) => !line.startsWith("GET "));
  assert.deepEqual(writes, ["POST /vaults"]);
  assert.equal(service.objects.get("vaults")?.get("a")?.["password"], word);
});
