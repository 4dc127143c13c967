import assert from "node:assert/strict";
import { test } from "node:test";
import { isSetpointError } from "./errors.ts";
import type { JsonObject } from "./json.ts";
import { readKubeconfig } from "./kubeconfig.ts";

function document(cluster: JsonObject, user: JsonObject): JsonObject {
  return {
    clusters: [{ name: "c", cluster: { server: "https://api.example:6443/", ...cluster } }],
    users: [{ name: "u", user }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  };
}

test("a kubeconfig with inline credentials needs no files", () => {
  const data = Buffer.from("authority").toString("base64");
  const content = document({ "certificate-authority-data": data }, { token: "t0" });
  const access = readKubeconfig([{ path: "secret", content }]);
  assert.equal(access.server, "https://api.example:6443");
  assert.equal(access.authority, "authority");
  assert.equal(access.token, "t0");
});

test("a kubeconfig that names a file is refused where no files can be read", () => {
  for (const [cluster, user] of [
    [{ "certificate-authority": "/etc/ca.crt" }, { token: "t0" }],
    [{}, { tokenFile: "/var/token" }],
    [{}, { "client-certificate": "a.crt", "client-key": "a.key" }],
  ] as const) {
    assert.throws(
      () => readKubeconfig([{ path: "the secret", content: document(cluster, user) }]),
      (error) =>
        isSetpointError(error, "config.invalid") && /the secret names the file/.test(error.message),
    );
  }
});
