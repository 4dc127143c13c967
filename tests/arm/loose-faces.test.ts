// Faces that let pass what their kinds refuse, on a real server: clients are told about what they
// have sent, and authors find their mistakes in the log.
import assert from "node:assert/strict";
import { it } from "node:test";
import { pick, pickList, pickText } from "../kube/server.ts";
import type { Reply } from "../kube/server.ts";
import { waitUntil } from "../peers/wait.ts";
import { codeOf, startArmServer, subscription } from "./arm-server.ts";
import type { ArmServer } from "./arm-server.ts";

const group = `/subscriptions/${subscription}/resourceGroups/Kitchen`;
const stove = `${group}/providers/Example.Stoves/stoves/one`;
const json = { "content-type": "application/json" };

it("a face that is looser than its kind points at no field that clients do not have", async () => {
  await using server = await startArmServer(undefined, { modules: ["stove"] });
  const send = (method: string, version: string, body: object): Promise<Reply> =>
    server.request(method, `${stove}?api-version=${version}`, body, json);
  const location = "westeurope";
  await stoveIn(server);

  const known = await send("PATCH", "2026-01-01", { properties: { degrees: 777 } });
  assert.equal(known.status, 400, known.text);
  assert.equal(pick(known.json, "error.target"), "properties.degrees");
  assert.equal(
    pick(known.json, "error.message"),
    "The property 'properties.degrees' is refused: " +
      "it should be less than or equal to 300, not 777.",
  );

  const younger = { location, properties: { heat: { celsius: 777 } } };
  const refused = [
    await send("PATCH", "2026-06-01", { properties: younger.properties }),
    await server.request("PUT", `${stove}-two?api-version=2026-06-01`, younger),
  ];
  for (const reply of refused) {
    assert.equal(reply.status, 400, reply.text);
    assert.equal(codeOf(reply), "InvalidParameter");
    assert.equal(pickList(reply.json, "error.details").length, 1);
    assert.equal(pick(reply.json, "error.target"), "properties");
    assert.equal(
      pickText(reply.json, "error.message"),
      "The properties cannot be stored because 'degrees' is refused: " +
        "it should be less than or equal to 300, not 777.",
    );
  }
  assert.deepEqual(server.errors, []);
});

it("an action that wants what its kind refuses is a fault of ours, and logged", async () => {
  await using server = await startArmServer(undefined, { modules: ["stove"] });
  await stoveIn(server);
  const reply = await server.request("POST", `${stove}/overheat?api-version=2026-01-01`);
  assert.equal(reply.status, 500, reply.text);
  assert.equal(codeOf(reply), "InternalServerError");
  assert.equal(pick(reply.json, "error.target"), undefined);
  assert.equal(server.errors.length, 1);
  const wanted =
    "request failed: Error: the action overheat of Example.Stoves/stoves (2026-01-01) returned a " +
    "spec that the kind stoves.stoves.tests.dev refuses: spec.degrees";
  assert.ok(server.errors[0]?.startsWith(wanted), server.errors[0]);
  assert.doesNotMatch(server.errors[0] ?? "", /777/);
});

/** Made, and ready to be changed. */
async function stoveIn(server: ArmServer): Promise<void> {
  const path = `${stove}?api-version=2026-01-01`;
  const body = { location: "westeurope", properties: { degrees: 200 } };
  const made = await server.request("PUT", path, body);
  assert.equal(made.status, 201, made.text);
  const isReady = async (): Promise<boolean> => {
    const { json: shown } = await server.request("GET", path);
    return pick(shown, "properties.provisioningState") === "Succeeded";
  };
  await waitUntil("the stove to be ready", isReady, { limitMs: 120_000 });
}
