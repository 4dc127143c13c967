// Entry points and status endpoints: unknown names are refused, and one without a value does not
// hide the others.
import assert from "node:assert/strict";
import { test } from "node:test";
import { listAt, textAt } from "../../src/kernel/json-read.ts";
import { machine, openRig } from "./rig.ts";

const link = (url: string): { readonly name: string; readonly url: string } => ({ name: "l", url });

test("an unknown name in a link of a Template names its field", async () => {
  await using rig = await openRig();
  for (const [field, url, wanted] of [
    [
      "entryPoints",
      "https://${resources.wrong.outputs.host}",
      /the template has no resource wrong/,
    ],
    ["statusEndpoints", "https://${parameters.wrong}", /the template has no parameter wrong/],
    ["statusEndpoints", "https://${parameters.token}", /reads the secret parameters\.token/],
  ] as const) {
    const parameters = { token: { type: "string", secret: true } };
    const attempt = rig.template([machine("web")], { parameters, [field]: [link(url)] });
    await assert.rejects(attempt, (error: Error) => {
      assert.match(error.message, wanted);
      assert.match(error.message, new RegExp(`spec\\.${field}\\[0\\]\\.url`));
      return true;
    });
  }
});

test("an invalid link of an Environment names its field", async () => {
  await using rig = await openRig();
  await rig.template([machine("web")]);
  const entryPoints = [link("https://${resources.wrong.outputs.host}")];
  await assert.rejects(rig.environment({ entryPoints }), /spec\.entryPoints\[0\]\.url: .*wrong/);
  await rig.environment();
  const statusEndpoints = [link("https://${resources.")];
  await assert.rejects(
    rig.patch("Environment", "e", { spec: { statusEndpoints } }),
    /spec\.statusEndpoints\[0\]\.url/,
  );
});

test("a status endpoint without a value is not healthy, and other links are shown", async () => {
  await using rig = await openRig();
  const host = "https://${resources.web.outputs.host}/";
  await rig.template([machine("web")], {
    entryPoints: [link("https://${resources.web.outputs.missing}"), { name: "site", url: host }],
    statusEndpoints: [{ name: "ready", url: "https://${resources.web.outputs.missing}" }],
    validation: { timeoutSeconds: 30 },
  });
  await rig.environment();
  await rig.pass();
  await rig.ready("e.web", { host: "web.example" });
  await rig.pass(120_000);
  const { status } = (await rig.read("Environment", "e")) ?? {};
  assert.equal(textAt(status, "phase"), "DeployedFail");
  assert.match(textAt(status, "message"), /^ready: .*spec\.statusEndpoints\[0\]\.url/);
  assert.deepEqual(listAt(status, "entryPoints"), [{ name: "site", url: "https://web.example/" }]);
});

test("a status endpoint of a resource without a value is not healthy", async () => {
  await using rig = await openRig();
  const statusEndpoints = [{ name: "ready", url: "https://${outputs.missing}" }];
  await rig.template([machine("web", { statusEndpoints })], { validation: { timeoutSeconds: 30 } });
  await rig.environment();
  await rig.pass();
  await rig.ready("e.web");
  await rig.pass(120_000);
  const { status } = (await rig.read("Environment", "e")) ?? {};
  assert.equal(textAt(status, "phase"), "DeployedFail");
  assert.match(textAt(status, "message"), /^e\.web\/ready: /);
});

test("an ExternalResource is ready while its status endpoints are healthy", async () => {
  await using rig = await openRig();
  const statusEndpoints = [{ name: "live", url: "http://127.0.0.1:9/" }];
  await rig.create("ExternalResource", "ledger", { outputs: { a: "1" }, statusEndpoints });
  await rig.template([machine("web", { dependsOn: ["external/ledger"] })], {
    externals: [{ name: "ledger" }],
  });
  await rig.environment();
  await rig.pass(5_000);
  assert.deepEqual(await rig.machines(), []);
  const external = await rig.read("ExternalResource", "ledger");
  const [endpoint] = listAt(external?.status, "statusEndpoints");
  assert.match(textAt(endpoint, "message"), /the address is private/);
  await rig.patch("ExternalResource", "ledger", { spec: { statusEndpoints: null } });
  await rig.pass(5_000);
  assert.deepEqual(await rig.machines(), ["e.web"]);
});

test("ResourceGroups that depend on each other in a cycle are refused in its order", async () => {
  await using rig = await openRig();
  await rig.create("ResourceGroup", "a", { dependsOn: ["b"] });
  await rig.create("ResourceGroup", "b", { dependsOn: ["c"] });
  await assert.rejects(
    rig.create("ResourceGroup", "c", { dependsOn: ["a"] }),
    /spec\.dependsOn: .*the groups have a cycle: c -> a -> b -> c/,
  );
});

test("counts that multiply beyond the limits are refused before any work", async () => {
  await using rig = await openRig();
  const layers = Array.from({ length: 12 }, (_, at) =>
    machine(`l${at}`, {
      count: 1_000,
      ...(at < 2 ? {} : { dependsOn: [`l${at - 1}`, `l${at - 2}`] }),
    }),
  );
  await rig.template(layers);
  await assert.rejects(rig.environment(), /dependencies in all, with all counts: at most 2000000/);
  const many = Array.from({ length: 300 }, (_, at) => machine(`m${at}`, { count: 1_000 }));
  await rig.template(many, { version: 2 });
  await assert.rejects(rig.environment({ templates: ["t.v2"] }), /at most 20000 items/);
});
