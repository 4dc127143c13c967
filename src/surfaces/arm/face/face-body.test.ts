// What is to be stored of a body, through the functions of an api-version.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ServedKind } from "../../../intents/kinds/served-kind.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { wantedSpec } from "./face-body.ts";
import type { ArmVersion } from "../../../modules/resource-provider/face.ts";

const served = { hasHidden: false } as unknown as ServedKind;
const secret = { type: "string", "x-setpoint-field-rule": "secret" };
const old = { spec: { size: 1, password: "old", other: true }, status: {} } as unknown as Resource;

function versionWith(toStored: NonNullable<ArmVersion["toStored"]>): ArmVersion {
  const properties = { scale: { type: "integer" }, password: secret };
  return {
    apiVersion: "2027-01-01",
    schema: { type: "object", properties },
    fromStored: ({ spec: { size = 0, password } }) =>
      password === undefined ? { scale: size } : { scale: size, password },
    toStored,
  };
}

const forgetful = versionWith(({ scale = 0, ...rest }, before) => ({
  ...before,
  ...rest,
  size: scale,
}));

const careful = versionWith(
  ({ scale, password }, before) => ({ ...before, size: scale, password }) as unknown as JsonObject,
);

test("a secret that a version does not take out when a client does is told", async () => {
  const properties = { password: null };
  const patched = await wantedSpec({ version: forgetful, served, properties, old, isPatch: true });
  assert.deepEqual(patched.kept, ["properties.password"]);
  const put = await wantedSpec({
    version: forgetful,
    served,
    properties: { scale: 2 },
    old,
    isPatch: false,
  });
  assert.deepEqual(put.kept, [], "what is left out is kept on purpose");
});

test("what a version leaves undefined is not stored", async () => {
  const properties = { password: null };
  const patched = await wantedSpec({ version: careful, served, properties, old, isPatch: true });
  assert.deepEqual(patched, { spec: { size: 1, other: true }, problems: [], kept: [] });
  assert.ok(!Object.hasOwn(patched.spec, "password"));
  const changed = await wantedSpec({
    version: careful,
    served,
    properties: { password: "new" },
    old,
    isPatch: true,
  });
  assert.deepEqual(changed.spec, { size: 1, other: true, password: "new" });
});
